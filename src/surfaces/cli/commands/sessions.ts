/** Who else is here: peers, card, read. */

import { isRefusal } from "../../../core/refusal.ts";
import { listProjectSessions } from "../../../peers/list-project-sessions.ts";
import { readSession } from "../../../peers/read-session.ts";
import { setMyState } from "../../../session/set-my-state.ts";
import type { Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { actingInOrJoining } from "../room-of.ts";
import { peersText, sessionText } from "../text/peers.ts";
import { UsageError } from "../usage-error.ts";

export const peers: Command = {
  name: "peers",
  summary: "the sessions in this project, and what they are doing",
  example: "tt peers --all",
  flags: {
    all: { kind: "boolean", help: "those that are not live as well" },
    compact: { kind: "boolean", help: "without session ids and times" },
  },
  async run(context, args) {
    const deps = await context.deps();
    if (isRefusal(deps)) return context.refuse(deps);
    const list = await listProjectSessions(deps, {
      ...place(context),
      all: args.isSet("all"),
      compact: args.isSet("compact"),
    });
    if (isRefusal(list)) return context.refuse(list);
    const me = (await context.wantsJson()) ? null : ((await context.caller())?.agentId ?? null);
    await context.answer(list, ({ sessions }) =>
      peersText(sessions, me, textOptions(context, deps.clock.now().wallMs)),
    );
    return EXIT.done;
  },
};

export const card: Command = {
  name: "card",
  summary: "tell the others what you are doing",
  details: ["At most 200 characters. It saves them from reading your transcript; renew it when your work changes."],
  example: 'tt card "parse dates with offsets" --file src/dates.ts',
  positionals: [{ name: "purpose", required: true }],
  flags: {
    file: { kind: "list", value: "PATH", help: "a file it concerns; may be given again" },
    "blocked-on": { kind: "text", value: "WHAT", help: "what you wait for" },
  },
  async run(context, args) {
    const acting = await actingInOrJoining(context);
    if (isRefusal(acting)) return context.refuse(acting);
    const blockedOn = args.text("blocked-on");
    const set = await setMyState(acting.deps, acting.caller, {
      roomId: acting.roomId,
      purpose: args.required("purpose"),
      files: args.list("file"),
      ...(blockedOn !== undefined && { blockedOn }),
    });
    if (isRefusal(set)) return context.refuse(set);
    await context.answer(set, ({ changed }) => (changed ? "The others see it now." : "Your card says so already."));
    return EXIT.done;
  },
};

export const read: Command = {
  name: "read",
  summary: "a peer's recent turns, from its transcript or its terminal",
  details: ["Reads from the end, so a long transcript costs no more than a short one. Nothing is written."],
  example: "tt read claude-2 --limit 5",
  positionals: [{ name: "peer", required: true }],
  flags: {
    pane: { kind: "boolean", help: "what its tmux pane shows, not its transcript" },
    transcript: { kind: "boolean", help: "its transcript or nothing" },
    limit: { kind: "number", value: "N", help: "how many turns; 20 by default" },
    "max-bytes": { kind: "number", value: "N", help: "how much text; 24000 by default" },
    timestamps: { kind: "boolean", help: "when each turn was" },
    whole: { kind: "boolean", help: "go through the whole transcript to count its turns" },
    "pane-lines": { kind: "number", value: "N", help: "how many lines of the pane; 240 by default" },
    "pane-max-chars": { kind: "number", value: "N", help: "how much of the pane; 20000 by default" },
  },
  async run(context, args) {
    if (args.isSet("pane") && args.isSet("transcript"))
      throw new UsageError("--pane and --transcript exclude each other.", "Use one of them.");
    const deps = await context.deps();
    if (isRefusal(deps)) return context.refuse(deps);
    const [limit, maxBytes] = [args.number("limit"), args.number("max-bytes")];
    const [paneLines, paneMaxChars] = [args.number("pane-lines"), args.number("pane-max-chars")];
    const answer = await readSession(deps, {
      ...place(context),
      name: args.required("peer"),
      mode: args.isSet("pane") ? "pane" : args.isSet("transcript") ? "transcript" : "auto",
      includeTimestamps: args.isSet("timestamps"),
      tailScan: !args.isSet("whole"),
      ...(limit !== undefined && { limit }),
      ...(maxBytes !== undefined && { maxBytes }),
      ...(paneLines !== undefined && { paneLines }),
      ...(paneMaxChars !== undefined && { paneMaxChars }),
    });
    if (isRefusal(answer)) return context.refuse(answer);
    await context.answer(answer, (shown) => sessionText(shown, textOptions(context, deps.clock.now().wallMs)));
    return EXIT.done;
  },
};

function place(context: CliContext) {
  return { contextPath: context.path, roomId: context.args.text("room") };
}

function textOptions(context: CliContext, nowMs: number) {
  return { ...context.reading(nowMs), paint: context.paint };
}
