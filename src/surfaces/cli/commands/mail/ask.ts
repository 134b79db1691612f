import { LIMITS } from "../../../../core/limits.ts";
import { askPeer, type QuestionSent } from "../../../../mail/ask-peer.ts";
import { EXIT } from "../../exit-codes.ts";
import { form } from "../../form.ts";
import { askedText, askingText } from "../../text/message.ts";
import { UsageError } from "../../usage-error.ts";
import { BODY_FLAGS, readBody } from "./message-body.ts";

const EXAMPLE = 'tt ask codex "which port does the server use?" --timeout 2m';

export const ask = form({
  words: "ask",
  of: askPeer,
  summary: "ask an agent and wait for its answer",
  details: [
    "Only its reply to this question ends the wait; its other messages stay in your mailbox. When the time is up",
    "the question stays open, and a late answer comes with: tt msg recv",
  ],
  example: EXAMPLE,
  positionals: [
    { name: "who", field: "to", required: true },
    { name: "text", rest: true },
  ],
  flags: {
    timeout: {
      field: "timeoutMs",
      kind: "duration",
      help: "how long, at most 5m; without it the room's ask_timeout_ms",
    },
    ...BODY_FLAGS,
  },
  async gather(context, args) {
    if ((args.number("timeout") ?? 0) > LIMITS.askMs)
      throw new UsageError("--timeout is at most 5m for a question.", "A late answer comes with your mail.");
    context.ports.assertOutput();
    return { body: await readBody(context, EXAMPLE) };
  },
  live: (seen, { names }) => askingText(seen as QuestionSent, names),
  text: (answer, { context }) => askedText(answer, context.page),
  exit({ reply, timedOut }) {
    if (reply !== null) return EXIT.done;
    return timedOut ? EXIT.notYet : EXIT.interrupted;
  },
});
