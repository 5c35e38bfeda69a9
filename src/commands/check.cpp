// gpt check: puts what the program claims to the test, on the loaded weights.
#include "commands/commands.h"
#include "commands/layout.h"
#include "commands/look.h"
#include "commands/session.h"
#include "commands/terminal.h"
#include "formats/json.h"
#include "model/claims.h"

namespace {

constexpr std::string_view kNotes =
    "Shows on the first tokens of a text that the claims about attention, the MLP\n"
    "and the residual stream hold for these weights, and that the program's two\n"
    "forward passes agree, the fast one with the same bytes however it is run. Exit\n"
    "status 1 where one fails.\n"
    "\n"
    "--json prints a line for each claim: {\"claim\":\"…\",\"says\":\"…\",\"finding\":\"…\",\n"
    "\"holds\":true}.\n"
    "\n"
    "example: gpt check -m gpt2\n";

void print_claim(const Claim& claim, bool json, bool colour) {
    if (json) {
        print(cat("{\"claim\":", json_quote(claim.name), ",\"says\":", json_quote(claim.says),
                  ",\"finding\":", json_quote(claim.finding),
                  ",\"holds\":", claim.holds ? "true" : "false", "}\n"));
        return;
    }
    const char* const verdict = claim.holds ? "holds" : "FAILS";
    print(colour ? form("\x1b[%dm%s\x1b[0m", claim.holds ? 32 : 31, verdict) : verdict);
    print(cat("  ", fit(claim.name, 15), claim.says, "\n", std::string(22, ' '), claim.finding,
              "\n"));
}

}  // namespace

int commands::check(Session& session) {
    constexpr std::size_t kMostTokens =
        48;  // the page in plain loops is slow, and few show as much
    if (!session.parse(kNotes)) return 0;
    Ids ids = sample_sequence(session);
    ids.resize(std::min(ids.size(), kMostTokens));
    bool all_hold = true;
    const auto report = [&](const std::vector<Claim>& claims) {
        for (const Claim& claim : claims) {
            print_claim(claim, session.json(), has_colour(stdout));
            all_hold = all_hold && claim.holds;
        }
        flush();
    };
    report(check_model(session.weights(), ids));
    report(check_numbers([&](int threads) { return session.transformer(threads); },
                         session.weights(), ids, session.tolerance()));
    return all_hold ? 0 : 1;
}
