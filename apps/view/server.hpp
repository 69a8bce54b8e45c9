// The viewer's web server answers on this machine alone, to those who know its address.
//
// The address holds a token that nobody can guess; every request must begin with it, name this
// server in Host and, where a browser says it, in Origin, so that no other page of the browser can
// ask. A request's size is bounded before it is read. GET gives the page, POST an answer of the
// session.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "view/session.hpp"
#include "view/worker.hpp"

namespace httplib {
class Server;
struct Request;
struct Response;
}  // namespace httplib

namespace supn {

class ViewServer {
 public:
  using Answer = std::function<Reply(const Question&)>;

  // Binds to 127.0.0.1; port 0 takes any that is free. Throws ConfigError where the port is taken.
  ViewServer(Answer answer, int port);
  ~ViewServer();
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  // http://127.0.0.1:<port>/<token>/
  std::string address() const;
  int port() const { return port_; }

  // Serves until `stop` is true; answers are computed on this thread.
  void run(const std::function<bool()>& stop);

 private:
  // Returns nothing where the request may pass.
  std::optional<Reply> refusal(const httplib::Request& request) const;
  void give_page(const httplib::Request& request, httplib::Response& response) const;
  void give_answer(const httplib::Request& request, httplib::Response& response);

  Answer answer_;
  std::unique_ptr<httplib::Server> server_;
  Worker worker_;
  std::string token_;
  int port_ = 0;
};

}  // namespace supn
