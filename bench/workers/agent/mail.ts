/** Messages: sent by one process and received by another, asked and answered, and taken as fast as it goes. */
import { accepted } from "../../../test/support/sqlite-world.ts";
import { type Mark, nowUs } from "../../marks.ts";
import { pause } from "../pause.ts";
import type { Member } from "./member.ts";

const BODY = "x".repeat(200);
const WAIT_MS = 60_000;

interface Sending {
  readonly to: string;
  readonly count: number;
  readonly everyMs: number;
}

/** Answers when each message was begun, by its id. */
export async function sendMessages({ stick, roomId }: Member, { to, count, everyMs }: Sending) {
  const starts: Mark[] = [];
  for (let index = 0; index < count; index += 1) {
    const us = nowUs();
    const { messageId } = accepted(await stick.sendMessage({ roomId, to, body: BODY }));
    starts.push([messageId, us]);
    if (everyMs > 0) await pause(everyMs);
  }
  return starts;
}

/** The same with texts that can be told apart: answers when each was begun, by its text. */
export async function sendNumbered({ stick, roomId }: Member, { to, count, everyMs }: Sending) {
  const starts: Mark[] = [];
  for (let index = 0; index < count; index += 1) {
    const [body, us] = [`number ${Math.round(nowUs())}`, nowUs()];
    accepted(await stick.sendMessage({ roomId, to, body }));
    starts.push([body, us]);
    await pause(everyMs);
  }
  return starts;
}

/** Receives until `count` messages are in hand, and answers when each was. */
export async function receiveMessages(member: Member, order: { readonly count: number }) {
  return accepted(await member.stick.asReceiver(() => receiveAll(member, order)));
}

async function receiveAll({ stick }: Member, { count }: { readonly count: number }) {
  const arrivals: Mark[] = [];
  while (arrivals.length < count) {
    const { answer, confirm } = accepted(await stick.receiveMessages({ maxWaitMs: WAIT_MS }));
    const us = nowUs();
    if (answer.count === 0) throw new Error(`nothing came for ${WAIT_MS} ms`);
    for (const { messageId } of answer.messages) arrivals.push([messageId, us]);
    await confirm();
  }
  return arrivals;
}

/** How long each question took until its answer was there. */
export async function askQuestions({ stick, roomId }: Member, { to, count, everyMs }: Sending) {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const startUs = nowUs();
    const { answer, confirm } = accepted(await stick.askPeer({ roomId, to, body: BODY, timeoutMs: WAIT_MS }));
    times.push(nowUs() - startUs);
    if (answer.reply === null) throw new Error("nobody answered");
    await confirm();
    await pause(everyMs);
  }
  return times;
}

/** Answers whatever is asked; it is acknowledged when the answer is out. */
export async function answerQuestions(member: Member, order: { readonly count: number }): Promise<void> {
  accepted(await member.stick.asReceiver(() => answerAll(member, order)));
}

async function answerAll({ stick, roomId }: Member, { count }: { readonly count: number }): Promise<void> {
  for (let answered = 0; answered < count; ) {
    const { answer, confirm } = accepted(await stick.receiveMessages({ maxWaitMs: WAIT_MS }));
    for (const { messageId } of answer.messages) {
      accepted(await stick.replyToMessage({ roomId, messageId, body: BODY }));
      answered += 1;
    }
    await confirm();
  }
}

/** Takes and acknowledges one message after the other; how many in a second. */
export async function takeOneByOne({ stick }: Member, { count }: { readonly count: number }): Promise<number> {
  const startUs = nowUs();
  for (let index = 0; index < count; index += 1) {
    const { answer, confirm } = accepted(await stick.takeMessages({ limit: 1 }));
    if (answer.count !== 1) throw new Error(`the mailbox is empty after ${index}`);
    await confirm();
  }
  return count / ((nowUs() - startUs) / 1e6);
}

/** How long a send takes to each of them, by turns. */
export async function timeSends(
  { stick, roomId }: Member,
  { to, count }: { readonly to: readonly string[]; readonly count: number },
) {
  const times = to.map((): number[] => []);
  for (let index = 0; index < count; index += 1) {
    for (const [place, recipient] of to.entries()) {
      const startUs = nowUs();
      accepted(await stick.sendMessage({ roomId, to: recipient, body: BODY }));
      times[place]?.push(nowUs() - startUs);
    }
  }
  return times;
}
