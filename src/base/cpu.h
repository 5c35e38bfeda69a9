// The processor: its name, and whether it has all that the program was built for. The check runs by
// itself before anything else, and ends the program with one line on stderr where something is
// missing.
#pragma once
#include <string>

// The first instruction set that the program was built for and the processor lacks; null where
// there is none.
const char* missing_instructions();

// As the processor tells it; "unknown" where it does not.
std::string cpu_name();
