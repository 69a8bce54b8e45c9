// Between AppServer and the app that it preloads with fork_server.cpp.
//
// A request: its length as a native uint32, then zero-terminated words: folder to run in, files for
// stdout and stderr, the arguments. A reply: AppServerReply.
#pragma once

namespace supn {

inline constexpr int kRequestDescriptor = 198;
inline constexpr int kReplyDescriptor = 199;
inline constexpr unsigned kLongestRunSeconds = 600;

struct AppServerReply {
  int status = 0;  // as of wait()
  long peak_kb = 0;
};

}  // namespace supn
