// A port of this machine that nothing listens on, for processes that meet.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace supn {

inline std::string free_port() {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(descriptor, generic, size), 0);
  EXPECT_EQ(::getsockname(descriptor, generic, &size), 0);
  ::close(descriptor);
  return std::to_string(ntohs(address.sin_port));
}

}  // namespace supn
