/** Who else is here: peers, card, read. */
import { listProjectSessions } from "../../../peers/list-project-sessions.ts";
import { readSession } from "../../../peers/read-session.ts";
import { setMyState } from "../../../session/set-my-state.ts";
import { type AnswerContext, form } from "../form.ts";
import { peersText, sessionText } from "../text/peers.ts";
import { UsageError } from "../usage-error.ts";

export const peers = form({
  words: "peers",
  of: listProjectSessions,
  summary: "the sessions in this project, and what they are doing",
  example: "tt peers --all",
  flags: {
    all: { field: "all", help: "also those that are not active" },
    compact: { field: "compact", help: "without session ids and times" },
  },
  text: ({ sessions }, shown) => peersText(sessions, shown.caller?.agentId ?? null, textOptions(shown)),
});

export const card = form({
  words: "card",
  of: setMyState,
  summary: "tell the others what you are doing",
  details: ["At most 200 characters. It saves them from reading your transcript; renew it when your work changes."],
  example: 'tt card "parse dates with offsets" --file src/dates.ts',
  positionals: [{ name: "purpose", field: "purpose", required: true }],
  flags: {
    file: { field: "files", value: "PATH", help: "a file it concerns; may be repeated" },
    "blocked-on": { field: "blockedOn", value: "WHAT", help: "what you wait for" },
  },
  text: ({ changed }) => (changed ? "The others see it now." : "Your card says so already."),
});

export const read = form({
  words: "read",
  of: readSession,
  summary: "a peer's recent turns, from its transcript or its terminal",
  details: [
    "Reads from the end, so a long transcript costs no more than a short one. Nothing is written.",
    "The name may also be that of a tmux session or pane of yours without an agent. Agents may read one only in their project.",
  ],
  example: "tt read claude-2 --limit 5",
  positionals: [{ name: "peer", field: "name", required: true }],
  flags: {
    pane: { kind: "boolean", help: "what its tmux pane shows, not its transcript" },
    transcript: { kind: "boolean", help: "its transcript or nothing" },
    limit: { field: "limit", value: "N", help: "how many turns; 20 by default" },
    "max-bytes": { field: "maxBytes", value: "N", help: "how much text; 24000 by default" },
    timestamps: { field: "includeTimestamps", help: "show the time of each turn" },
    whole: { kind: "boolean", help: "go through the whole transcript to count its turns" },
    "pane-lines": { field: "paneLines", value: "N", help: "how many lines of the pane; 240 by default" },
    "pane-max-chars": { field: "paneMaxChars", value: "N", help: "how much of the pane; 20000 by default" },
  },
  gather(_context, args) {
    const [pane, transcript] = [args.isSet("pane"), args.isSet("transcript")];
    if (pane && transcript) throw new UsageError("--pane and --transcript exclude each other.", "Use one of them.");
    return { mode: pane ? "pane" : transcript ? "transcript" : "auto", tailScan: !args.isSet("whole") };
  },
  text: (answer, shown) => sessionText(answer, textOptions(shown)),
});

function textOptions({ context, nowMs }: AnswerContext) {
  return context.reading(nowMs);
}
