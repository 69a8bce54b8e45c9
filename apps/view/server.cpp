#include "view/server.hpp"

#include <httplib.h>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <future>
#include <optional>
#include <random>
#include <string_view>
#include <utility>

#include "supn/errors.hpp"
#include "view/page_files.hpp"
#include "view/uploads.hpp"

namespace supn {
namespace {

constexpr const char* kHost = "127.0.0.1";

std::string random_token() {
  std::random_device device;  // the system's, fit for secrets
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", device());
  return token;
}

// Takes a time that does not tell how much of it was right.
bool equal_secrets(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned int difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

const char* type_of(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  return "image/svg+xml";
}

void give(const Reply& reply, httplib::Response& response) {
  response.status = reply.status;
  response.set_content(reply.body, reply.type);
}

// Returns what comes after "/<token>/".
std::string below_token(const httplib::Request& request, const std::string& token) {
  return request.path.substr(token.size() + 2);
}

}  // namespace

ViewServer::ViewServer(Answer answer, int port)
    : answer_(std::move(answer)),
      server_(std::make_unique<httplib::Server>()),
      token_(random_token()) {
  server_->set_default_headers(
      {{"Cache-Control", "no-store"},
       {"Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
       {"Cross-Origin-Resource-Policy", "same-origin"},
       {"Referrer-Policy", "no-referrer"},
       {"X-Content-Type-Options", "nosniff"}});
  server_->set_payload_max_length(kLargestUpload);
  server_->set_keep_alive_max_count(100000);
  server_->set_keep_alive_timeout(2);  // seconds; what is idle longer would delay the end
  // An open connection holds a thread, and a browser opens six for a page.
  server_->new_task_queue = [] { return new httplib::ThreadPool(32); };
  server_->set_tcp_nodelay(true);
  // A port is one program's, which may come back to it at once.
  server_->set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
  server_->set_pre_routing_handler([this](const auto& request, auto& response) {
    const std::optional<Reply> reply = refusal(request);
    if (!reply) return httplib::Server::HandlerResponse::Unhandled;
    give(*reply, response);
    response.set_header("Connection", "close");
    return httplib::Server::HandlerResponse::Handled;
  });
  server_->Get(".*", [this](const auto& request, auto& response) { give_page(request, response); });
  server_->Post(".*",
                [this](const auto& request, auto& response) { give_answer(request, response); });
  port_ = port == 0 ? server_->bind_to_any_port(kHost) : port;
  if (port_ < 0 || (port != 0 && !server_->bind_to_port(kHost, port))) {
    throw ConfigError(fmt::format(
        "--port {}: cannot be listened on; another program may have it, give another or 0", port));
  }
}

ViewServer::~ViewServer() = default;

std::string ViewServer::address() const {
  return fmt::format("http://{}:{}/{}/", kHost, port_, token_);
}

std::optional<Reply> ViewServer::refusal(const httplib::Request& request) const {
  const std::array<std::string, 2> hosts{fmt::format("{}:{}", kHost, port_),
                                         fmt::format("localhost:{}", port_)};
  const std::string host = request.get_header_value("Host");
  if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) {
    return error_reply(403,
                       "this server is asked by another name; use the address that it printed");
  }
  if (request.has_header("Origin") && request.get_header_value("Origin") != "http://" + host) {
    return error_reply(403, "another page may not ask this server");
  }
  const std::string start = request.path.substr(0, token_.size() + 2);
  if (!equal_secrets(start, "/" + token_ + "/")) {
    return error_reply(403, "use the address that supn_view printed, with all of its letters");
  }
  if (request.method != "GET" && request.method != "HEAD" && request.method != "POST") {
    return error_reply(405, "expected GET or POST");
  }
  if (request.method != "POST") return std::nullopt;
  // A body that says its size beforehand, and is what it seems.
  if (!request.has_header("Content-Length") || request.has_header("Transfer-Encoding")) {
    return error_reply(411, "the request must say its Content-Length");
  }
  if (request.has_header("Content-Encoding") ||
      request.get_header_value("Content-Type") != "application/octet-stream") {
    return error_reply(415, "the request must be application/octet-stream, not compressed");
  }
  return std::nullopt;
}

void ViewServer::give_page(const httplib::Request& request, httplib::Response& response) const {
  const std::string asked = below_token(request, token_);
  if (asked == "activity") {
    const Worker::Activity activity = worker_.activity();
    const Json json = {{"kind", activity.kind}, {"seconds", activity.seconds}};
    return give({.body = json_text(json)}, response);
  }
  const std::string name = asked.empty() ? "index.html" : asked;
  for (const PageFile& file : page_files()) {
    if (file.name == name) return give({200, type_of(name), std::string(file.bytes)}, response);
  }
  give(error_reply(404, "there is no such file"), response);
}

void ViewServer::give_answer(const httplib::Request& request, httplib::Response& response) {
  const Question question{
      below_token(request, token_), request.body, request.get_param_value("name"), [this] {
        worker_.check();
      }};
  if (question.route != "measurements" && question.body.size() > kLargestRequest) {
    return give(error_reply(413, "the request is too large"), response);
  }
  try {
    const Worker::Timed timed = worker_.call({.session = request.get_header_value("X-Session"),
                                              .kind = question.route,
                                              .work = [&] { return answer_(question); }});
    response.set_header(
        "Server-Timing",
        fmt::format("wait;dur={:.1f}, work;dur={:.1f}", timed.waited_ms, timed.worked_ms));
    spdlog::debug("{} {} {:.1f} ms", timed.reply.status, question.route, timed.worked_ms);
    give(timed.reply, response);
  } catch (const std::exception& error) {
    spdlog::error("{}: {}", question.route, error.what());
    give(error_reply(500, "internal error; the program's log says more"), response);
  }
}

void ViewServer::run(const std::function<bool()>& stop) {
  const std::future<bool> listening =
      std::async(std::launch::async, [this] { return server_->listen_after_bind(); });
  // A server that does not listen yet cannot be told to stop.
  const auto has_ended = [&] {
    return listening.wait_for(std::chrono::milliseconds(1)) == std::future_status::ready;
  };
  while (!server_->is_running() && !has_ended()) continue;
  worker_.run(stop);
  server_->stop();
  listening.wait();
}

}  // namespace supn
