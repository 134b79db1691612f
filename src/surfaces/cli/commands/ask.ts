import { LIMITS } from "../../../core/limits.ts";
import { isRefusal } from "../../../core/refusal.ts";
import { askPeer } from "../../../mail/ask-peer.ts";
import { keepWhile } from "../../../mail/keep-while.ts";
import type { Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { liveLine } from "../live-line.ts";
import { BODY_FLAGS, readBody } from "../message-body.ts";
import { actingToSend } from "../room-of.ts";
import { askedText } from "../text/message.ts";
import { visible } from "../text/wrap.ts";
import { UsageError } from "../usage-error.ts";

export const ask: Command = {
  name: "ask",
  summary: "ask an agent and wait for its answer",
  details: [
    "Only its reply to this very question ends the wait; its other talk stays in your mailbox. When the time is up",
    "the question stays open, and a late answer comes with: tt msg recv",
  ],
  example: 'tt ask codex "which port does the server use?" --timeout 2m',
  positionals: [
    { name: "who", required: true },
    { name: "text", rest: true },
  ],
  flags: {
    timeout: { kind: "duration", help: "how long, at most 5m; without it the room's ask_timeout_ms" },
    ...BODY_FLAGS,
  },
  run: askAndWait,
};

async function askAndWait(context: CliContext): Promise<number> {
  const { args, ports } = context;
  const timeoutMs = args.number("timeout");
  if (timeoutMs !== undefined && timeoutMs > LIMITS.askMs)
    throw new UsageError("--timeout is at most 5m for a question.", "A late answer comes with your mail.");
  ports.assertOutput();
  const body = await readBody(context, ask.example);
  if (isRefusal(body)) return context.refuse(body);
  const acting = await actingToSend(context, { to: args.required("who"), body, asks: true });
  if (isRefusal(acting)) return context.refuse(acting);
  const line = liveLine(context);
  const asked = await askPeer(acting.deps, acting.caller, {
    roomId: acting.roomId,
    to: args.required("who"),
    body,
    ...(timeoutMs !== undefined && { timeoutMs }),
    signal: ports.interrupted,
    onSent: ({ deliveries: [receipt] }) => {
      const seen = receipt?.willBeSeen === "now" ? ", which sees it now" : "";
      line.show(`Asked ${visible(args.required("who"))}${seen}. Waiting for the answer; Ctrl-C stops waiting.`);
    },
  });
  line.clear();
  if (isRefusal(asked)) return context.refuse(asked);
  const { answer } = asked;
  const written = context.answer(answer, (shown) => askedText(shown, context.page));
  await keepWhile(asked, written);
  if (answer.reply !== null) return EXIT.done;
  return answer.timedOut ? EXIT.notYet : EXIT.interrupted;
}
