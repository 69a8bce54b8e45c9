#include "view/server.hpp"

#include <gmock/gmock.h>
#include <httplib.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "supn/errors.hpp"
#include "view/uploads.hpp"

namespace supn {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kBytes = "application/octet-stream";

// A server whose answers say what was asked.
class ViewServerTest : public testing::Test {
 protected:
  ViewServerTest() {
    thread_ = std::thread([this] { server_.run([this] { return stop_.load(); }); });
    const std::string address = server_.address();
    base_ = address.substr(address.find('/', sizeof("http://") - 1));
    client_.set_keep_alive(true);
  }
  ~ViewServerTest() override {
    client_.stop();  // an open connection is waited for
    stop_ = true;
    thread_.join();
  }

  // Status and body; 0 where the connection was closed.
  std::pair<int, std::string> got(const httplib::Result& result) const {
    return result ? std::pair(result->status, result->body) : std::pair(0, std::string());
  }
  std::pair<int, std::string> get(const std::string& path, const httplib::Headers& headers = {}) {
    return got(client_.Get(path, headers));
  }
  std::pair<int, std::string> post(const std::string& route,
                                   const std::string& body,
                                   const httplib::Headers& headers = {{"X-Session", "page"}}) {
    return got(client_.Post(base_ + route, headers, body, kBytes));
  }
  std::string host(const std::string& name) const {
    return name + ":" + std::to_string(server_.port());
  }

  ViewServer server_{
      [](const Question& question) {
        if (question.route == "fail") throw std::runtime_error("secret");
        return Reply{.body = question.route + "|" + question.body + "|" + question.file_name};
      },
      0};
  std::atomic<bool> stop_ = false;
  std::thread thread_;
  std::string base_;
  httplib::Client client_{"127.0.0.1", server_.port()};
};

TEST_F(ViewServerTest, GivesThePage) {
  const auto result = client_.Get(base_);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 200);
  EXPECT_THAT(result->body, HasSubstr("<title>supn_view</title>"));
  EXPECT_THAT(result->get_header_value("Content-Security-Policy"), HasSubstr("default-src 'none'"));
  EXPECT_EQ(result->get_header_value("Cache-Control"), "no-store");
  const auto script = client_.Get(base_ + "main.js");
  ASSERT_TRUE(script);
  EXPECT_EQ(script->get_header_value("Content-Type"), "text/javascript; charset=utf-8");
  EXPECT_EQ(get(base_ + "none.js").first, 404);
  EXPECT_EQ(get(base_ + "../main.js").first, 404);
}

TEST_F(ViewServerTest, AnswersWithItsTimes) {
  post("open", "{}");
  EXPECT_EQ(post("field", "{1}"), std::pair(200, std::string("field|{1}|")));
  EXPECT_EQ(post("measurements?name=a%20b.csv", "x"),
            std::pair(200, std::string("measurements|x|a b.csv")));
  const auto result =
      client_.Post(base_ + "field", httplib::Headers{{"X-Session", "page"}}, "{}", kBytes);
  ASSERT_TRUE(result);
  EXPECT_THAT(result->get_header_value("Server-Timing"), HasSubstr("work;dur="));
  EXPECT_THAT(get(base_ + "activity").second, HasSubstr("\"kind\":\"\""));
}

TEST_F(ViewServerTest, ServesTheSessionThatOpenedLast) {
  EXPECT_EQ(post("field", "{}").first, 409);
  post("open", "{}");
  EXPECT_EQ(post("field", "{}").first, 200);
  EXPECT_EQ(post("field", "{}", {{"X-Session", "other"}}).first, 409);
  EXPECT_EQ(post("field", "{}", {}).first, 409);
}

TEST_F(ViewServerTest, RefusesAddressesWithoutTheToken) {
  std::string wrong = base_;
  wrong[3] = wrong[3] == '0' ? '1' : '0';
  for (const std::string& path : {std::string("/"),
                                  wrong,
                                  base_.substr(0, base_.size() - 1),
                                  "/" + base_,
                                  std::string("/main.js"),
                                  std::string("*")}) {
    EXPECT_EQ(get(path).first, 403) << path;
  }
}

TEST_F(ViewServerTest, RefusesOtherHostsAndOrigins) {
  EXPECT_EQ(get(base_, {{"Host", host("localhost")}}).first, 200);
  for (const std::string& name : {host("evil.example"),
                                  std::string("127.0.0.1"),
                                  std::string(),
                                  std::string("127.0.0.1:1"),
                                  host("127.0.0.1.evil.example")}) {
    EXPECT_EQ(get(base_, {{"Host", name}}).first, 403) << name;
  }
  EXPECT_EQ(get(base_, {{"Origin", "http://" + host("127.0.0.1")}}).first, 200);
  for (const std::string& origin : {std::string("http://evil.example"),
                                    std::string("null"),
                                    "https://" + host("127.0.0.1"),
                                    "http://" + host("localhost"),
                                    std::string("http://127.0.0.1:1")}) {
    EXPECT_EQ(get(base_, {{"Origin", origin}}).first, 403) << origin;
  }
}

TEST_F(ViewServerTest, RefusesWhatIsTooLargeOrDisguised) {
  post("open", "{}");
  const std::string large(kLargestRequest + 1, 'x');
  EXPECT_EQ(post("field", large).first, 413);
  EXPECT_EQ(post("measurements", large).first, 200);
  EXPECT_EQ(got(client_.Post(base_ + "field", httplib::Headers(), "{}", "text/plain")).first, 415);
  EXPECT_EQ(post("field", "{}", {{"Content-Encoding", "gzip"}}).first, 415);
  EXPECT_EQ(got(client_.Put(base_ + "field", "{}", kBytes)).first, 405);
  EXPECT_EQ(got(client_.Delete(base_ + "field")).first, 405);
  const auto chunked = client_.Post(
      base_ + "field",
      [](std::size_t, httplib::DataSink& sink) {
        sink.write("{}", 2);
        sink.done();
        return true;
      },
      kBytes);
  EXPECT_EQ(got(chunked).first, 411);
  EXPECT_EQ(post("field", "{}").first, 200);
}

// The size is refused by its number, before the body is sent.
TEST_F(ViewServerTest, RefusesAnUploadByItsAnnouncedSize) {
  bool was_read = false;
  client_.set_write_timeout(2);
  const auto result = client_.Post(
      base_ + "measurements",
      kLargestUpload + 1,
      [&](std::size_t, std::size_t, httplib::DataSink&) {
        was_read = true;
        return false;
      },
      kBytes);
  EXPECT_NE(got(result).first, 200);
  post("open", "{}");
  EXPECT_EQ(post("field", "{}").first, 200) << was_read;
}

TEST_F(ViewServerTest, AnInternalErrorTellsNothing) {
  post("open", "{}");
  const auto [status, body] = post("fail", "{}");
  EXPECT_EQ(status, 500);
  EXPECT_THAT(body, Not(HasSubstr("secret")));
}

TEST_F(ViewServerTest, APortThatIsTakenIsAConfigError) {
  EXPECT_THROW(ViewServer([](const Question&) { return Reply(); }, server_.port()), ConfigError);
}

TEST_F(ViewServerTest, EndsThoughItHasJustBegun) {
  ViewServer other([](const Question&) { return Reply(); }, 0);
  other.run([] { return true; });
  EXPECT_FALSE(httplib::Client("127.0.0.1", other.port()).Get("/"));
}

TEST_F(ViewServerTest, TokensDiffer) {
  const ViewServer other([](const Question&) { return Reply(); }, 0);
  EXPECT_GE(base_.size(), 34U);
  EXPECT_NE(other.address().substr(other.address().rfind(':')), base_);
}

}  // namespace
}  // namespace supn
