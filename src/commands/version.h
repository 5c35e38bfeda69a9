// What --version says: how this program was built, and what for.
#pragma once
#include <string>

std::string version();
