#include "commands/version.h"
#include "base/error.h"
#include "base/threads.h"
#include "kernels/simd.h"
#include "model/builtin.h"

std::string version() {
#if defined(__clang__)
    const char* const compiler = "clang " __clang_version__;
#else
    const char* const compiler = "g++ " __VERSION__;
#endif
#if defined(_OPENMP)
    const std::string threads =
        cat("OpenMP ", _OPENMP, ", ", default_threads(), " threads by default");
#else
    const std::string threads = "built without OpenMP: one thread";
#endif
    return cat("gpt 1.0\n",                                                //
               "compiler  ", compiler, "\n",                               //
               "vectors   ", kLanes * 32, " bits, ", kLanes, " floats\n",  //
               "threads   ", threads, "\n",                                //
               "weights   f32, f16, bf16; made at load: bf16, q8, q4\n",   //
               "model     ", builtin_model().name(), "\n");
}
