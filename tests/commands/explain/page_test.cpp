#include "commands/explain/page.h"
#include <doctest/doctest.h>

TEST_CASE("text never becomes markup, and the page is whole") {
    const std::string page =
        fill_page("{\"pieces\":{\"1\":\"</script><!--\xe2\x80\xa8\xe2\x80\xa9\"}}");
    CHECK(page.find("\"\\u003c/script>\\u003c!--\\u2028\\u2029\"") != std::string::npos);
    CHECK(page.starts_with("<!doctype html>"));
    CHECK(page.ends_with("</html>\n"));
    CHECK(page.find("<link rel=\"stylesheet\"") == std::string::npos);
    CHECK(page.find("<script src") == std::string::npos);
    CHECK(page.find("http://www.w3.org/2000/svg") != std::string::npos);  // a name, not an address
    std::size_t addresses = 0;
    for (std::size_t at = 0; (at = page.find("://", at)) != std::string::npos; ++at) ++addresses;
    CHECK(addresses == 2);
}
