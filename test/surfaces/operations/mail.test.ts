/** Every refusal that an operation of mail lists is given once, through the door. */
import { describe, expect, it } from "vitest";
import type { RawInput } from "../../../src/core/field.ts";
import type { Policy } from "../../../src/core/policy.ts";
import type { RefusalCode } from "../../../src/core/refusal.ts";
import type { Call, Operation } from "../../../src/engine/operation.ts";
import { askPeer, type QuestionSent } from "../../../src/mail/ask-peer.ts";
import { readMyMessages } from "../../../src/mail/read-my-messages.ts";
import { replyToMessage } from "../../../src/mail/reply-to-message.ts";
import { sendMessage } from "../../../src/mail/send-message.ts";
import type { Caller } from "../../../src/session/rules/decision-input.ts";
import { perform } from "../../../src/surfaces/door.ts";
import { makeRepository } from "../../support/git-repository.ts";
import { agentCalled } from "../../support/service-ports.ts";
import { accepted, ServiceWorld } from "../../support/service-world.ts";
import { A_FLAG, toldToModel } from "../../support/told-to-model.ts";

/** `a:1`, `b:1`, `c:1` and two of codex in one room; `s:1` in another project. `a:1` calls. */
class Office extends ServiceWorld {
  roomId = "";

  static async open(policy: Partial<Policy> = {}): Promise<Office> {
    const office = new Office(policy);
    for (const project of ["tree", "strange"]) makeRepository(office.directory(project));
    for (const agent of ["a:1", "b:1", "c:1", "codex:1", "codex:2"]) {
      office.roomId = accepted(await office.as(agent).joinPath({ contextPath: office.directory("tree") })).roomId;
    }
    accepted(await office.as("codex:1").nameMyself({ roomId: office.roomId, handle: "zed" }));
    accepted(await office.as("s:1").joinPath({ contextPath: office.directory("strange") }));
    return office;
  }

  call(
    of: Operation,
    input: RawInput,
    { who = agentCalled("a:1"), call = {} }: { readonly who?: Caller; readonly call?: Call } = {},
  ) {
    const door = {
      directory: this.directory("tree"),
      deps: async () => this.deps,
      caller: async (): Promise<Caller> => who,
    };
    return perform(of, door, input, call);
  }

  async sent(from: string, to: string, more: object = {}): Promise<string> {
    return accepted(await this.as(from).sendMessage({ roomId: this.roomId, to, body: "hello", ...more })).messageId;
  }

  async close(): Promise<void> {
    accepted(await this.as("human:1", { person: true }).closeRoom({ roomId: this.roomId, operatorRequested: true }));
  }
}

type Provoke = (of: Operation) => Promise<unknown>;

/** Of every way to send to a name. */
const SENDING: Partial<Record<RefusalCode, Provoke>> = {
  unknown_recipient: async (of) => (await Office.open()).call(of, { to: "nobody", body: "hi" }),
  ambiguous_recipient: async (of) => (await Office.open()).call(of, { to: "codex", body: "hi" }),
  cross_project: async (of) => (await Office.open()).call(of, { to: "s:1", body: "hi" }),
  self_send: async (of) => (await Office.open()).call(of, { to: "a:1", body: "hi" }),
  invalid_body: async (of) => (await Office.open()).call(of, { to: "b:1", body: "" }),
  message_too_large: async (of) =>
    (await Office.open({ messageMaxBytes: 256 })).call(of, { to: "b:1", body: "x".repeat(257) }),
  async room_closed(of) {
    const office = await Office.open();
    await office.close();
    return office.call(of, { to: "b:1", body: "hi" });
  },
  async msg_id_conflict(of) {
    const office = await Office.open();
    await office.sent("a:1", "b:1", { msgId: "once" });
    return office.call(of, { to: "b:1", body: "something else", msgId: "once" });
  },
  async rate_limited(of) {
    const office = await Office.open({ sendRatePerMin: 1 });
    for (const _ of [1, 2]) await office.sent("a:1", "b:1");
    return office.call(of, { to: "b:1", body: "hi" });
  },
};

const ASKING: typeof SENDING = {
  ...SENDING,
  async would_deadlock(of) {
    const office = await Office.open();
    const giveUp = new AbortController();
    const begun = new Promise<QuestionSent>((resolve) => {
      const call = { cancel: giveUp.signal, onLook: (seen: object) => resolve(seen as QuestionSent) };
      void office.call(of, { to: "a:1", body: "which port?" }, { who: agentCalled("b:1"), call });
    });
    expect(await begun).toMatchObject({ to: "a:1", sent: { deliveries: [{ to: "a:1" }] } });
    const refused = await office.call(of, { to: "b:1", body: "which host?" });
    giveUp.abort();
    return refused;
  },
};

const TALKING: typeof SENDING = {
  ...SENDING,
  invalid_delivery_hint: async (of) =>
    (await Office.open()).call(of, { to: "b:1", body: "hi", deliveryHint: "shouting" }),
  message_not_found: async (of) => (await Office.open()).call(of, { to: "b:1", body: "hi", replyTo: "never-was" }),
  async not_your_message(of) {
    const office = await Office.open();
    return office.call(of, { to: "b:1", body: "hi", replyTo: await office.sent("b:1", "c:1") });
  },
  async hops_exhausted(of) {
    const office = await Office.open({ hopsMax: 0 });
    return office.call(of, { to: "c:1", body: "hi", sourceMessageId: await office.sent("b:1", "a:1") });
  },
};

/** Answers what `b:1` has said to `a:1`. */
async function answered(of: Operation, more: RawInput = {}, policy: Partial<Policy> = {}) {
  const office = await Office.open(policy);
  return office.call(of, { messageId: await office.sent("b:1", "a:1"), body: "hi", ...more });
}

const REPLYING: typeof SENDING = {
  message_not_found: (of) => answered(of, { messageId: "never-was" }),
  invalid_body: (of) => answered(of, { body: "" }),
  message_too_large: (of) => answered(of, { body: "x".repeat(257) }, { messageMaxBytes: 256 }),
  async unknown_recipient(of) {
    const office = await Office.open();
    const messageId = await office.sent("b:1", "a:1");
    const person = office.as("human:1", { person: true });
    accepted(await person.joinPath({ contextPath: office.directory("tree") }));
    const kicked = { roomId: office.roomId, targetAgentId: "b:1", force: true, reason: "loops" };
    accepted(await person.kickMember(kicked));
    return office.call(of, { messageId, body: "hi" });
  },
  async cross_project(of) {
    const office = await Office.open();
    const { roomId } = accepted(await office.as("a:1").joinPath({ contextPath: office.directory("strange") }));
    return office.call(of, { messageId: await office.sent("b:1", "a:1"), body: "hi", roomId });
  },
  async self_send(of) {
    const office = await Office.open();
    return office.call(of, { messageId: await office.sent("a:1", "b:1"), body: "hi" });
  },
  async not_your_message(of) {
    const office = await Office.open();
    return office.call(of, { messageId: await office.sent("b:1", "c:1"), body: "hi" });
  },
  async room_closed(of) {
    const office = await Office.open();
    const messageId = await office.sent("b:1", "a:1");
    await office.close();
    return office.call(of, { messageId, body: "hi" });
  },
  async msg_id_conflict(of) {
    const office = await Office.open();
    await office.sent("a:1", "b:1", { msgId: "once" });
    return office.call(of, { messageId: await office.sent("b:1", "a:1"), body: "other", msgId: "once" });
  },
  async rate_limited(of) {
    const office = await Office.open({ sendRatePerMin: 1 });
    const messageId = await office.sent("b:1", "a:1");
    for (const _ of [1, 2]) await office.sent("a:1", "b:1");
    return office.call(of, { messageId, body: "hi" });
  },
};

const READING: typeof SENDING = {
  async not_authorized(of) {
    const facts = { isSubagent: true } as Caller["facts"];
    return (await Office.open()).call(of, { maxWaitMs: 0 }, { who: { ...agentCalled("a:1"), facts } as Caller });
  },
};

describe.each<[Operation, typeof SENDING]>([
  [sendMessage, TALKING],
  [askPeer, ASKING],
  [replyToMessage, REPLYING],
  [readMyMessages, READING],
])("$name", (of, provoked) => {
  it("lists what is provoked here, and nothing else", () => {
    expect(Object.keys(provoked).toSorted()).toEqual(of.refusals.toSorted());
  });

  it.each(Object.entries(provoked))("refuses with %s", async (error, provoke) => {
    const answer = await provoke(of);
    expect(answer).toMatchObject({ error });
    expect(toldToModel(answer)).not.toMatch(A_FLAG);
  });
});

describe("given a question", () => {
  it("when nobody answers in time, then the asker is told how a late answer comes", async () => {
    const asked = await (await Office.open()).call(askPeer, { to: "b:1", body: "Which port?", timeout_ms: 0 });
    const next = ["The question stays open. A late answer comes with your messages: ", { do: "read_my_messages" }];
    expect(asked).toMatchObject({ timedOut: true, next });
  });

  it("when it is answered, then nothing is left to say", async () => {
    const office = await Office.open();
    const call: Call = {
      onLook: (seen) =>
        void office.as("b:1").replyToMessage({
          roomId: office.roomId,
          messageId: (seen as QuestionSent).sent.messageId,
          body: "8080",
        }),
    };
    const asked = await office.call(askPeer, { to: "b:1", body: "Which port?" }, { call });
    expect(asked).toMatchObject({ timedOut: false, reply: { body: "8080" } });
    expect(asked).not.toHaveProperty("next");
  });
});
