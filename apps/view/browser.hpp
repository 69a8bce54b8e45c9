// The user's web browser opens the page.
#pragma once

#include <string>

namespace supn {

// Asks the desktop to show the address. Nothing happens where there is no desktop or no browser.
void open_browser(const std::string& address);

}  // namespace supn
