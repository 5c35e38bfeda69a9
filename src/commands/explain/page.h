// The page of `gpt explain`: its template, which is inside the program, with data in it.
#pragma once
#include <string>
#include <string_view>

// The whole page. `data` is JSON; nothing in it is read as markup, whatever its strings say.
std::string fill_page(std::string_view data);
