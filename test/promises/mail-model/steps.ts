/** What can happen in an office: each step is done for real and in the reference, and then the books are compared. */

import fc from "fast-check";
import { expect } from "vitest";
import { DELIVERY_STATES } from "../../../src/core/mail-records.ts";
import { isRefusal } from "../../../src/core/refusal.ts";
import { attemptOf, isShown } from "../../../src/mail/rules/delivery.ts";
import { accepted } from "../../support/service-world.ts";
import type { Office } from "./office.ts";
import { isAwaited, type ReferenceMail } from "./reference.ts";

export const AGENTS = ["ann", "bob", "cy", "bob-before", "cy-before"] as const;
const FORMER: Readonly<Record<string, string>> = { bob: "bob-before", cy: "cy-before" };

/** What the steps remember between them, next to the reference. */
export interface Memory {
  readonly mail: ReferenceMail;
  /** Sessions that know their former name and have not been merged with it yet. */
  readonly remembering: Set<string>;
  readonly members: Set<string>;
  /** Sends with an id of the sender's own, to be repeated. */
  readonly sends: { readonly from: string; readonly input: object; readonly messageId: string }[];
  /** Taken and not yet confirmed; some never will be. */
  readonly held: {
    readonly messages: ReturnType<ReferenceMail["take"]>;
    readonly confirm: () => Promise<void>;
    readonly giveBack: () => Promise<void>;
  }[];
  sent: number;
  /** What came up in any life: lives in which little happens prove little. */
  readonly happened: Set<string>;
}

/** Everything that a good number of lives should come by. */
export const OUTCOMES = [
  ...DELIVERY_STATES,
  "done",
  "repeated",
  "attempt_stale",
  "not_your_message",
  "self_send",
  "msg_id_conflict",
  "requeued",
  "purged",
  "purged dead letters",
  "merged mail",
  "out of order",
  "second attempt",
  "given back",
  "shown",
  "went on",
  "broke off",
];

type Step = fc.AsyncCommand<Memory, Office>;

function step(
  label: string,
  run: (memory: Memory, office: Office) => Promise<void>,
  check: (memory: Memory) => boolean = () => true,
): Step {
  return {
    check,
    run: async (memory, office) => {
      await run(memory, office);
      await compareBooks(memory, office);
    },
    toString: () => label,
  };
}

async function compareBooks({ mail, members, happened }: Memory, office: Office): Promise<void> {
  for (const { state } of mail.deliveries) happened.add(state);
  for (const agent of members) {
    const { stored, now, counts, shown } = await office.mailbox(agent);
    const counted = DELIVERY_STATES.map((state) => [state, stored.filter((one) => one.state === state).length]);
    expect(counts, `the counters of ${agent}`).toEqual(Object.fromEntries(counted));
    expect(shown, `how many ${agent} was shown`).toBe(stored.filter(isShown).length);
    const expected = mail.deliveries.filter(({ to }) => to === agent);
    expect(
      now.map((one) => [one.messageId, one.from, one.state, attemptOf(one), one.purged, isShown(one)]),
      `the mail of ${agent}`,
    ).toEqual(
      expected.map((one) => {
        const isShownNow = one.shownIn !== undefined;
        return [one.message, office.idOf(one.from), one.state, one.before + one.tries, one.purged, isShownNow];
      }),
    );
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    expect(total, `everything ever sent to ${agent}`).toBe(expected.length);
  }
}

/** Mail comes together where few have names. */
const agent = fc.constantFrom(...AGENTS, "ann", "bob", "bob");
const pick = fc.nat({ max: 1000 });

/** A session that remembers its former name is merged with it by the next call that changes the room. */
function mergeIfDue({ mail, remembering, members, happened }: Memory, name: string): void {
  const former = FORMER[name];
  if (former === undefined || !remembering.delete(name)) return;
  if (mail.deliveries.some(({ to, state }) => to === former && state === "pending")) happened.add("merged mail");
  mail.merge(former, name);
  members.delete(former);
}

const send = fc
  .record({
    from: agent,
    to: fc.oneof(agent, fc.constant("room" as const)),
    interrupt: fc.boolean(),
    named: fc.boolean(),
  })
  .map(({ from, to, interrupt, named }) =>
    step(
      `${from} ${interrupt ? "interrupts" : "writes to"} ${to}${named ? ", by an id" : ""}`,
      async (memory, office) => {
        const { mail } = memory;
        memory.sent += 1;
        const input = {
          roomId: office.roomId,
          to: to === "room" ? to : office.idOf(to),
          body: `message ${memory.sent}`,
          ...(interrupt ? { deliveryHint: "interrupt" as const } : {}),
          ...(named ? { msgId: `id ${memory.sent}`.replace(" ", "-") } : {}),
        };
        const answer = await office.as(from).sendMessage(input);
        const name = mail.nameOf(from);
        mergeIfDue(memory, name);
        if (to !== "room" && mail.nameOf(to) === name) {
          expect(answer).toMatchObject({ error: "self_send" });
          memory.happened.add("self_send");
          return;
        }
        const { messageId, deliveries } = accepted(answer);
        const everybody = [...memory.members].filter((member) => member !== name);
        const recipients = to === "room" ? everybody : [mail.nameOf(to)];
        expect(deliveries.map((one) => one.to).toSorted()).toEqual(
          recipients.map((one) => office.idOf(one)).toSorted(),
        );
        mail.send(messageId, name, inOrderOf(deliveries, recipients, office), interrupt);
        if (named) memory.sends.push({ from, input, messageId });
      },
      // After a reboot it is not known which members are active, so the recipients of a room are not known.
      ({ mail }) => to !== "room" || mail.boot === 1,
    ),
  );

function inOrderOf(deliveries: readonly { readonly to: string }[], recipients: readonly string[], office: Office) {
  return deliveries.map(({ to }) => recipients.find((one) => office.idOf(one) === to) ?? to);
}

const sendAgain = pick.map((index) =>
  step(
    `the same is sent again (${index})`,
    async (memory, office) => {
      const { from, input, messageId } = memory.sends[index % memory.sends.length] as Memory["sends"][number];
      const again = await office.as(from).sendMessage(input as never);
      mergeIfDue(memory, memory.mail.nameOf(from));
      expect(accepted(again).messageId).toBe(messageId);
      const other = await office.as(from).sendMessage({ ...input, body: "something else" });
      expect(other).toMatchObject({ error: "msg_id_conflict" });
      memory.happened.add("msg_id_conflict");
    },
    ({ sends }) => sends.length > 0,
  ),
);

const take = fc
  .record({
    reader: agent,
    limit: fc.integer({ min: 1, max: 4 }),
    manual: fc.boolean(),
    end: fc.constantFrom("confirm", "hold", "lose", "give back" as const),
  })
  .map(({ reader, limit, manual, end }) =>
    step(`${reader} takes ${limit}${manual ? " by hand" : ""}: ${end}`, async (memory, office) => {
      const { mail } = memory;
      const taken = accepted(await office.as(reader).takeMessages({ limit, ack: manual ? "manual" : "auto" }));
      const expected = mail.take(mail.nameOf(reader), { limit, onePerSender: manual });
      const messages = taken.answer.messages.map(({ messageId, attempt }) => ({ messageId, attempt }));
      expect(messages).toEqual(expected.map(({ messageId, attempt }) => ({ messageId, attempt })));
      if (messages.some(({ attempt }) => attempt > 1)) memory.happened.add("second attempt");
      const seqs = taken.answer.messages.map(({ deliverySeq }) => deliverySeq);
      if (seqs.some((seq, index) => seq < (seqs[index - 1] ?? 0))) memory.happened.add("out of order");
      if (end === "lose") return;
      const held = { messages: expected, confirm: taken.confirm, giveBack: taken.giveBack };
      if (end === "hold") memory.held.push(held);
      else if (end === "give back") await giveBackAll(memory, held);
      else await confirmAll(memory, held);
    }),
  );

/** A hook that dies has printed its mail and not marked it. */
const hook = fc
  .record({
    reader: agent,
    event: fc.constantFrom("went_on", "went_on", "prompted", "broke_off", "no_sign" as const),
    turn: fc.constantFrom("t1", "t1", "t2", null),
    limit: fc.integer({ min: 0, max: 4 }),
    dies: fc.nat({ max: 4 }).map((chance) => chance === 0),
  })
  .map(({ reader, event, turn, limit, dies }) =>
    step(`a hook of ${reader} tells ${event} in ${turn}${dies ? ", and dies" : ""}`, async (memory, office) => {
      const { mail, happened } = memory;
      const expected = mail.hook(mail.nameOf(reader), { event, turn }, limit);
      const { messages, seen, returned, mark } = await office.hook(reader, { event, turn }, limit);
      expect(messages).toEqual(expected.map(({ messageId, attempt }) => ({ messageId, attempt })));
      if (seen > 0) happened.add("went on");
      if (returned > 0) happened.add("broke off");
      if (dies) return;
      await mark();
      for (const { one, attempt } of expected) mail.show(one, attempt, turn);
      if (expected.length > 0) happened.add("shown");
    }),
  );

async function confirmAll({ mail }: Memory, { messages, confirm }: Memory["held"][number]): Promise<void> {
  await confirm();
  for (const { one, attempt } of messages) mail.confirm(one, attempt);
}

async function giveBackAll({ mail, happened }: Memory, { messages, giveBack }: Memory["held"][number]): Promise<void> {
  await giveBack();
  for (const { one, attempt } of messages) mail.giveBack(one, attempt);
  if (messages.length > 0) happened.add("given back");
}

const answerHeld = fc.record({ index: pick, unseen: fc.boolean() }).map(({ index, unseen }) =>
  step(
    `what was held is ${unseen ? "given back" : "confirmed"} (${index})`,
    async (memory) => {
      const [held] = memory.held.splice(index % memory.held.length, 1);
      if (held) await (unseen ? giveBackAll : confirmAll)(memory, held);
    },
    ({ held }) => held.length > 0,
  ),
);

/** Mostly by the agent that has it, for the attempt that it has. */
const answerFor = fc
  .record({
    stranger: fc.option(agent, { freq: 5 }),
    index: pick,
    off: fc.constantFrom(0, 0, 0, 0, -1, 1),
    what: fc.constantFrom("ack", "nack", "nack" as const),
  })
  .map(({ stranger, index, off, what }) =>
    step(
      `${what} for delivery ${index}, attempt ${off}${stranger === null ? "" : `, by ${stranger}`}`,
      async ({ mail, happened }, office) => {
        const flying = mail.deliveries.filter(({ state }) => state === "in_flight");
        const pool = index % 3 > 0 && flying.length > 0 ? flying : mail.deliveries;
        const one = pool[index % pool.length];
        if (!one) return;
        const reader = stranger ?? one.to;
        const attempt = Math.max(1, one.before + one.tries + off);
        const order = { messageId: one.message, attempt };
        const stick = office.as(reader);
        const answer = await (what === "ack" ? stick.ackMessage(order) : stick.nackMessage({ ...order, reason: "no" }));
        const expected = mail.answer(mail.nameOf(reader), one.message, attempt, what);
        const told = isRefusal(answer) ? answer.error : answer.repeated ? "repeated" : "done";
        expect(told).toBe(expected);
        happened.add(expected);
      },
      ({ mail }) => mail.deliveries.length > 0,
    ),
  );

const requeue = fc.record({ stranger: fc.option(agent, { freq: 5 }), index: pick }).map(({ stranger, index }) =>
  step(
    `delivery ${index} is requeued${stranger === null ? "" : ` by ${stranger}`}`,
    async ({ mail, happened }, office) => {
      const dead = mail.deliveries.filter(({ state }) => state === "dead_letter");
      const pool = dead.length > 0 ? dead : mail.deliveries;
      const one = pool[index % pool.length];
      if (!one) return;
      const reader = stranger ?? one.to;
      const answer = await office.as(reader).requeueDeadLetter({ messageId: one.message });
      expect(!isRefusal(answer)).toBe(mail.requeue(mail.nameOf(reader), one.message));
      if (!isRefusal(answer)) happened.add("requeued");
    },
    ({ mail }) => mail.deliveries.length > 0,
  ),
);

const purge = fc.record({ reader: agent, dead: fc.boolean() }).map(({ reader, dead }) =>
  step(`${reader} purges ${dead ? "dead letters" : "the mailbox"}`, async ({ mail, happened }, office) => {
    const name = mail.nameOf(reader);
    const { purged } = await (dead ? office.as(reader).purgeDeadLetters() : office.as(reader).purgeMailbox());
    expect(purged).toBe(dead ? mail.purgeDeadLetters(name) : mail.purge(name));
    if (purged > 0) happened.add(dead ? "purged dead letters" : "purged");
  }),
);

const merge = fc.record({ name: fc.constantFrom("bob", "cy"), atOnce: fc.boolean() }).map(({ name, atOnce }) =>
  step(
    `${name} remembers its former name${atOnce ? " and shows up" : ""}`,
    async (memory, office) => {
      memory.remembering.add(name);
      office.remember(name, FORMER[name] as string);
      if (!atOnce) return;
      await office.join(name);
      mergeIfDue(memory, name);
    },
    ({ members, remembering }) => members.has(FORMER[name] as string) && !remembering.has(name),
  ),
);

const SECOND_MS = 1000;
const pass = fc.constantFrom(1, 4999, 5000, 5000, 10_000, 10_000, 20_000, 29_999, 30_000, 30_000, 3_600_000).map((ms) =>
  step(`${ms / SECOND_MS} s pass`, async ({ mail }, office) => {
    office.nowMs += ms;
    mail.pass(ms);
  }),
);

/** Before a reboot the wall decides nothing; after one it must not run backwards, or the dead would rise. */
const wallJumps = fc.constantFrom(-3_600_000, 3_600_000).map((ms) =>
  step(
    `the wall clock jumps by ${ms / SECOND_MS} s`,
    async ({ mail }, office) => {
      office.wallAheadMs += ms;
      mail.pass(0, ms);
    },
    ({ mail }) => mail.boot === 1,
  ),
);

/** Not where nobody can say what came first: an attempt that would outlive its message, or a wall clock set back. */
const reboot = fc.constant(
  step(
    "the machine starts again",
    async ({ mail }, office) => {
      office.boot += 1;
      office.wallAheadMs += office.nowMs;
      office.nowMs = 0;
      mail.reboot();
    },
    ({ mail }) => !mail.wallWentBack && !mail.deliveries.some((one) => isAwaited(one) && one.dueMs > one.expiresMs),
  ),
);

export function steps(maxCommands: number) {
  const often = [send, send, send, take, take, take, hook, hook, answerHeld, answerFor, answerFor, pass, pass];
  return fc.commands([...often, sendAgain, requeue, purge, merge, wallJumps, reboot], { maxCommands, size: "max" });
}
