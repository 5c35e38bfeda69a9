// Ctrl-C, taken as a request to end in good order.
#pragma once

// From now on the first Ctrl-C is only noted; a second one ends the program at once.
void catch_interrupt();
bool interrupted();
