/** What comes: an agent takes its mail as long as it lives, and answers what it is asked. */
import { accepted } from "../../../test/support/sqlite-world.ts";
import { pause } from "../pause.ts";
import { AFTER_FAULT_MS, attempt } from "./attempt.ts";
import type { Teammate } from "./teammate.ts";

const WAIT_MS = 60_000;

export async function takeMail(me: Teammate): Promise<never> {
  const forLife = async (): Promise<never> => {
    for (;;) await takeSome(me);
  };
  return accepted(await me.stick.asReceiver(forLife));
}

async function takeSome(me: Teammate): Promise<void> {
  const received = await attempt(
    "receive",
    () => me.stick.receiveMessages({ maxWaitMs: WAIT_MS }),
    ({ answer }) => (answer.count === 0 ? null : { shown: answer.messages.map(({ messageId }) => messageId) }),
  );
  if (!("done" in received)) return pause(AFTER_FAULT_MS);
  const { answer, confirm } = received.done;
  if (answer.count === 0) return;
  for (const { messageId, kind, from } of answer.messages) if (kind === "ask") await reply(me, messageId, from);
  // A confirmation that fails costs nothing: the messages come again.
  const confirmed = answer.messages.map(({ messageId }) => messageId);
  await attempt("confirm", () => confirm(), undefined, { confirmed });
}

async function reply(me: Teammate, messageId: string, to: string): Promise<void> {
  const body = `I was in turn ${me.pace.random.between(1, 999)}.`;
  await attempt(
    "reply",
    () => me.stick.replyToMessage({ roomId: me.roomId, messageId, body }),
    (sent) => ({ messageId: sent.messageId, to }),
  );
}
