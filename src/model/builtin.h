// The model inside the program, which runs where no other is named.
#pragma once
#include "model/folder.h"

Folder builtin_model();
