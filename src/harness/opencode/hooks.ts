/**
 * Hooks of OpenCode, which are calls of our own plugin and so have our own words. It shows what is added to a prompt and
 * to what a tool answered. At the end of a turn it gives its session a new prompt, and mail is not taken before that
 * comes: then it is only named by its number.
 */

import { jsonText } from "../../core/visible.ts";
import type { HookEvent } from "../../hooks/rules/hook.ts";
import type { HookDialect } from "../contract.ts";
import { attemptWith, commonCall } from "../hook-dialect.ts";
import { textIn } from "../records.ts";
import { OPENCODE_SESSION_VARIABLE } from "./identity.ts";
import { WRITING_TOOLS } from "./tools.ts";

const TURN_FIELD = "turn_id";
const MOST_CHARACTERS = 60_000;

const SHOWS_NOTHING: readonly HookEvent[] = ["pre-tool", "turn-broken", "session-end"];

/** A turn is called by the prompt that began it; what is typed into it meanwhile has the same name. */
export const hooks: HookDialect = {
  turnField: TURN_FIELD,
  sessionVariable: { name: OPENCODE_SESSION_VARIABLE },
  parse(event, payload) {
    const call = commonCall("opencode", event, payload, SHOWS_NOTHING.includes(event) ? 0 : MOST_CHARACTERS);
    const { waker_pid: wakerPid } = payload;
    if (!call) return null;
    // Tools of one answer may end one after the other, so the end of one does not show that the model went on.
    const told = event === "post-tool" ? "no_sign" : call.sign.event;
    return {
      ...call,
      sign: { event: told, turn: textIn(payload[TURN_FIELD]) },
      mailFollows: event === "stop",
      ...(typeof wakerPid === "number" && { wakerPid }),
    };
  },
  render(event, { context = "", goOn = "" }) {
    // The plugin asks whether to wake a session, and must tell this answer from none.
    if (context === "" && goOn === "") return event === "wake" ? "{}" : "";
    return jsonText({ ...(context !== "" && { context }), ...(goOn !== "" && { go_on: goOn }) });
  },
  attemptIn: attemptWith(WRITING_TOOLS),
  renderDenial: (reason) => jsonText({ deny: reason }),
};
