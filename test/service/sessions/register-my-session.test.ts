import { describe, expect, it } from "vitest";
import { asAgentId } from "../../../src/domain/ids.ts";
import type { SessionClaim } from "../../../src/domain/session/evidence.ts";
import { identify } from "../../../src/domain/session/identify.ts";
import type { Identification } from "../../../src/domain/session/identity.ts";
import { claimSession } from "../../../src/service/claim-session.ts";
import { claimChecks } from "../../../src/service/sessions/claim-checks.ts";
import { type RegisterInput, registerMySession } from "../../../src/service/sessions/register-my-session.ts";
import { placeTranscript, SESSION_IDS } from "../../support/harness-home.ts";
import { accepted } from "../../support/service-world.ts";
import { type ClueOptions, clues, hash, idOf, provisionalId } from "../../support/session-clues.ts";
import { SessionWorld } from "./session-world.ts";

const GEMINI = { env: { GEMINI_CLI: "1" }, above: ["node /usr/bin/gemini"] };
const NO_REPLY_TO = { mailbox: { reply_to: false } };

class Registry extends SessionWorld {
  readonly claims: SessionClaim[] = [];

  claimDeps() {
    const write = (_: unknown, claim: SessionClaim) => void this.claims.push(claim);
    return { claims: { write, forget: () => false }, hash, ...claimChecks(this.deps, this.here) };
  }

  identified(options: ClueOptions): Identification {
    return { ...identify(clues(options)), facts: { harnessVersion: null, cwd: this.here, transcriptPath: null } };
  }

  register(options: ClueOptions, input: Partial<RegisterInput> = {}) {
    const given = { sessionId: SESSION_IDS.gemini, contextPath: this.here, ...input };
    return registerMySession(this.deps, this.claimDeps(), this.identified(options), given);
  }
}

describe("registering", () => {
  it("claims the session, says where its transcript is, and makes it a member with what it can do", async () => {
    const world = new Registry();
    const path = placeTranscript(world.home, "gemini", world.here);
    const agentId = idOf("gemini", SESSION_IDS.gemini);
    expect(await world.register(GEMINI, { capabilities: NO_REPLY_TO })).toEqual({
      agentId,
      sessionId: SESSION_IDS.gemini,
      transcriptPath: path,
      capabilities: { mailbox: { replyTo: false, provenance: true, pushBudget: true } },
    });
    expect(world.claims).toEqual([{ harness: "gemini", sessionId: SESSION_IDS.gemini }]);
    expect((await world.peers()).map((peer) => peer.agentId)).toEqual([agentId]);
  });

  it("makes one session of it and of the provisional one that it was before", async () => {
    const world = new Registry();
    const old = provisionalId("gemini", 100);
    const { stick, roomId, project } = await world.joined(old, world.here, { sessionId: null });
    accepted(await stick.setMyState({ roomId, purpose: "before" }));
    accepted(await world.register(GEMINI, { capabilities: NO_REPLY_TO }));
    const peers = await world.peers();
    expect(peers).toMatchObject([{ agentId: idOf("gemini", SESSION_IDS.gemini), stateCard: { purpose: "before" } }]);
    const rows = await world.deps.store.readSessions(project);
    expect(rows.map(({ agentId, cwd }) => [agentId, cwd])).toEqual([[peers[0]?.agentId, world.here]]);
  });

  it("needs no claim where the harness itself has named the session, even if its process serves many", async () => {
    const world = new Registry();
    const opencode = { env: { OPENCODE: "1", TT_OPENCODE_SESSION_ID: "ses_1" }, above: ["opencode serve"] };
    expect(await world.register(opencode, { sessionId: "ses_1" })).toMatchObject({ sessionId: "ses_1" });
    expect(world.claims).toEqual([]);
    expect(await world.register(opencode, { sessionId: "ses_2" })).toMatchObject({ error: "not_authorized" });
  });

  it("is for a session that nobody could name as well, if a process stands for it", async () => {
    const world = new Registry();
    const registered = accepted(await world.register({ leader: "-bash" }, { sessionId: "s-1" }));
    expect(registered.agentId).toBe(idOf("agent", "s-1"));
    expect((await world.peers()).map(({ agentId }) => agentId)).toEqual([registered.agentId]);
    for (const unsafe of [{}, { leader: "bash supervisor.sh" }]) {
      expect(await world.register(unsafe, { sessionId: "s-2" })).toMatchObject({ error: "not_authorized" });
    }
  });

  it("refuses a session that lives in another process, and nobody's stick changes hands", async () => {
    const world = new Registry();
    accepted(await world.register(GEMINI));
    const another = { ...GEMINI, above: ["sh -c tt", ...GEMINI.above] };
    expect(await world.register(another)).toMatchObject({ error: "not_authorized" });
    expect(world.claims).toHaveLength(1);
    accepted(await world.register(GEMINI));
  });

  it("is refused to whoever goes by a given name, as a claim is, and leaves nothing", async () => {
    const world = new Registry();
    const named = { leader: "-bash", named: { agentId: asAgentId("me:1") } };
    const claimed = claimSession(world.claimDeps(), world.identified(named), { sessionId: SESSION_IDS.gemini });
    expect(await claimed).toMatchObject({ error: "not_authorized", facts: { agent_id: "me:1" } });
    expect(await world.register(named)).toEqual(await claimed);
    expect([world.claims, await world.peers()]).toEqual([[], []]);
  });

  it("refuses a capability that is neither true nor false", async () => {
    const world = new Registry();
    const capabilities = { mailbox: { push_budget: "no" as unknown as boolean } };
    expect(await world.register(GEMINI, { capabilities })).toMatchObject({
      error: "invalid_input",
      facts: { field: "capabilities.mailbox.push_budget" },
    });
    expect(world.claims).toEqual([]);
  });
});

describe("a claim", () => {
  it("tells where the transcript is", async () => {
    const world = new Registry();
    const path = placeTranscript(world.home, "gemini", world.here);
    const claimed = claimSession(world.claimDeps(), world.identified(GEMINI), { sessionId: SESSION_IDS.gemini });
    expect(await claimed).toMatchObject({ transcriptPath: path });
  });
});

describe("a peer that knows no reply_to", () => {
  it("is answered by: its first message after the question, marked as uncorrelated", async () => {
    const world = new Registry();
    const { agentId } = accepted(await world.register(GEMINI, { capabilities: NO_REPLY_TO }));
    const { stick, roomId } = await world.joined("claude:1");
    const peer = world.as(agentId, { sessionId: SESSION_IDS.gemini });
    accepted(await peer.sendMessage({ roomId, to: "claude:1", body: "before the question" }));
    const asked = stick.askPeer({
      roomId,
      to: agentId,
      body: "ready?",
      timeoutMs: 60_000,
      onSent: () => void peer.sendMessage({ roomId, to: "claude:1", body: "yes" }),
    });
    const { answer, confirm } = accepted(await asked);
    expect(answer).toMatchObject({ reply: { body: "yes", correlation: "uncorrelated" }, correlation: "uncorrelated" });
    await confirm();
    const mail = accepted(await stick.takeMessages({})).answer.messages;
    expect(mail.map(({ body }) => body)).toEqual(["before the question"]);
  });

  it("may still say what it answers, and then the answer is correlated", async () => {
    const world = new Registry();
    const { agentId } = accepted(await world.register(GEMINI, { capabilities: NO_REPLY_TO }));
    const { stick, roomId } = await world.joined("claude:1");
    const peer = world.as(agentId, { sessionId: SESSION_IDS.gemini });
    const asked = stick.askPeer({
      roomId,
      to: agentId,
      body: "ready?",
      timeoutMs: 60_000,
      onSent: ({ messageId }) => void peer.replyToMessage({ roomId, messageId, body: "yes" }),
    });
    expect(accepted(await asked).answer).toMatchObject({ reply: { body: "yes" }, correlation: "correlated" });
  });

  it("is the exception: any other peer's talk answers nothing", async () => {
    const world = new Registry();
    const { stick, roomId } = await world.joined("claude:1");
    const peer = (await world.joined("codex:1")).stick;
    const asked = stick.askPeer({
      roomId,
      to: asAgentId("codex:1"),
      body: "ready?",
      timeoutMs: 0,
      onSent: () => void peer.sendMessage({ roomId, to: "claude:1", body: "by the way" }),
    });
    expect(accepted(await asked).answer).toMatchObject({ reply: null, timedOut: true });
  });
});
