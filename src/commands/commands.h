// Every command, each in the file of its own name. All return the program's exit status.
#pragma once
#include "commands/session.h"

namespace commands {

int generate(Session& session);
int score(Session& session);
int logits(Session& session);
int tokenize(Session& session);
int trace(Session& session);
int mix(Session& session);
int attend(Session& session);
int check(Session& session);
int info(Session& session);
int explain(Session& session);
int lens(Session& session);
int bench(Session& session);

}  // namespace commands
