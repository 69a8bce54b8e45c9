// What an exception says.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace supn {

// The message of the exception of type Error that `call` throws; a failure if it throws none.
template <class Error, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

}  // namespace supn
