import { isRefusal } from "../../../domain/refusal.ts";
import { type Pruned, pruneRooms } from "../../../service/prune-rooms.ts";
import type { Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { durationText } from "../duration.ts";
import { EXIT } from "../exit-codes.ts";
import { wrap, wrapWhole } from "../text/wrap.ts";

export const prune: Command = {
  name: "prune",
  summary: "forget the history of rooms that nobody has used for long",
  details: [
    "Shows what it would forget; --yes does it. The turn counter, open notes and the last handoff stay.",
    "Write the history out first with: tt export",
  ],
  example: "tt prune --idle 720h --yes",
  flags: {
    idle: { kind: "duration", maxHours: 87_600, help: "how long a room must be idle; by default its own policy says" },
    yes: { kind: "boolean", help: "really forget it" },
  },
  async run(context, args) {
    const carryOut = args.isSet("yes");
    const deps = await context.deps(carryOut ? "change" : "read");
    if (isRefusal(deps)) return context.refuse(deps);
    const answer = await pruneRooms(deps, { roomId: args.text("room"), idleForMs: args.number("idle"), carryOut });
    if (isRefusal(answer)) return context.refuse(answer);
    await context.answer(answer, (shown) => prunedText(shown, carryOut, context));
    return EXIT.done;
  },
};

function prunedText({ rooms }: Pruned, carryOut: boolean, { args, columns, tt }: CliContext): string {
  if (rooms.length === 0) return "No room has been idle for long enough.";
  const lines = rooms.map(({ canonicalPath, pruned }) => {
    const what = pruned ? "forgotten " : carryOut ? "in use    " : "would go  ";
    return `${what} ${wrap(canonicalPath, columns, " ".repeat(11))}`;
  });
  if (carryOut) return lines.join("\n");
  const idleMs = args.number("idle");
  const idle = idleMs === undefined ? "" : ` --idle ${durationText(idleMs)}`;
  return [...lines, wrapWhole(`Do it with: ${tt} prune${idle} --yes`, columns)].join("\n");
}
