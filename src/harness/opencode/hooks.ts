/**
 * Hooks of OpenCode, which are calls of our own plugin and so have our own words. It shows what is added to a prompt and
 * to what a tool answered. At the end of a turn it gives its session a new prompt, and mail is not taken before that
 * comes: then it is only named by its number.
 */
import { jsonText } from "../../domain/json-text.ts";
import { commonCall, type HookDialect } from "../hook-dialect.ts";

const MOST_CHARACTERS = 60_000;
/** Room for a reminder and the number of messages, and for no message. */
const NO_MAIL_CHARACTERS = 1;

export const opencodeHooks: HookDialect = {
  parse(event, payload) {
    const characters = { "pre-tool": 0, stop: NO_MAIL_CHARACTERS }[event as string] ?? MOST_CHARACTERS;
    const call = commonCall("opencode", event, payload, characters);
    const { waker_pid: wakerPid } = payload;
    if (!call) return null;
    return { ...call, mailFollows: event === "stop", ...(typeof wakerPid === "number" && { wakerPid }) };
  },
  render(event, { context = "", goOn = "" }) {
    // Whoever asks whether to wake must know an answer from none.
    if (context === "" && goOn === "") return event === "wake" ? "{}" : "";
    return jsonText({ ...(context !== "" && { context }), ...(goOn !== "" && { go_on: goOn }) });
  },
};
