import { describe, expect, it } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import { wordNext } from "../../src/core/next.ts";
import { isRefusal } from "../../src/core/refusal.ts";
import { registerMySession } from "../../src/room/register-my-session.ts";
import { claimSession } from "../../src/session/claim-session.ts";
import type { SessionName } from "../../src/session/rules/evidence.ts";
import { identify } from "../../src/session/rules/identify.ts";
import type { Identification } from "../../src/session/rules/identity.ts";
import { commandFor } from "../../src/surfaces/cli/command-for.ts";
import { type Door, perform } from "../../src/surfaces/door.ts";
import { respond } from "../../src/surfaces/mcp/respond.ts";
import { SessionWorld } from "../session/session-world.ts";
import { placeTranscript, SESSION_IDS } from "../support/harness-home.ts";
import { accepted } from "../support/service-world.ts";
import { type ClueOptions, clues, hash, idOf, provisionalId } from "../support/session-clues.ts";

const GEMINI = { env: { GEMINI_CLI: "1" }, above: ["node /usr/bin/gemini"] };
const NO_REPLY_TO = { mailbox: { reply_to: false } };

class Registry extends SessionWorld {
  readonly claims: SessionName[] = [];

  door(options: ClueOptions): Door {
    const write = (_: unknown, claim: SessionName) => void this.claims.push(claim);
    const book = { claims: { write, forget: () => false }, hash };
    return {
      directory: this.here,
      deps: async () => this.deps,
      caller: async () => null,
      identify: async () => ({ identification: this.identified(options), ...book }),
    };
  }

  identified(options: ClueOptions): Identification {
    return { ...identify(clues(options)), facts: { harnessVersion: null, cwd: this.here, transcriptPath: null } };
  }

  register(options: ClueOptions, input: object = {}) {
    return perform(registerMySession, this.door(options), { sessionId: SESSION_IDS.gemini, ...input });
  }

  claim(options: ClueOptions, input: object = {}) {
    return perform(claimSession, this.door(options), { sessionId: SESSION_IDS.gemini, ...input });
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

  it("is refused to a caller with a given name, as a claim is, and leaves nothing", async () => {
    const world = new Registry();
    const named = { leader: "-bash", named: { agentId: asAgentId("me:1") } };
    const claimed = world.claim(named);
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
    const claimed = world.claim(GEMINI);
    expect(await claimed).toMatchObject({ transcriptPath: path });
  });

  describe("in a terminal without a harness", () => {
    const TERMINAL = { leader: "-bash", tty: true };
    const ID = SESSION_IDS.claude;
    const CLAUDE = idOf("claude", ID);

    async function claimedIn(world: Registry, input: { harness?: string } = {}, options: ClueOptions = TERMINAL) {
      return world.claim(options, { sessionId: ID, ...input });
    }

    it("is of the harness that the session is known to be of", async () => {
      const world = new Registry();
      const { stick, roomId } = await world.joined(CLAUDE, world.elsewhere, { sessionId: ID });
      accepted(await stick.leaveRoom({ roomId }));
      expect(await claimedIn(world)).toMatchObject({ agentId: CLAUDE });
      expect(world.claims).toEqual([{ harness: "claude", sessionId: ID }]);
    });

    it("is of no harness where nobody knows the session", async () => {
      expect(await claimedIn(new Registry())).toMatchObject({ agentId: idOf("agent", ID) });
    });

    it("is refused under the name of another harness, with the right one", async () => {
      const world = new Registry();
      await world.joined(CLAUDE, world.elsewhere, { sessionId: ID });
      expect(await claimedIn(world, { harness: "codex" })).toMatchObject({
        error: "not_authorized",
        message: `Session ${ID} is one of claude.`,
        facts: { agent_id: CLAUDE, harness: "claude" },
      });
      expect(await claimedIn(world, {}, GEMINI)).toMatchObject({ error: "not_authorized" });
      expect(world.claims).toEqual([]);
    });

    it.each<[why: string, options: ClueOptions, input: object, atShell: string, overMcp: string]>([
      [
        "it has a name of its own",
        { ...TERMINAL, named: { agentId: asAgentId("me:1") } },
        {},
        "Go on under that name. To be known by a session, first remove --agent or TT_AGENT_ID.",
        "Go on under that name. The person who configured this server gave it to you, and can remove it.",
      ],
      [
        "its process serves many",
        { env: { OPENCODE: "1" }, above: ["opencode serve"] },
        {},
        "Set TT_AGENT_ID to a name of its own for each session, or give --agent NAME with each command.",
        "Ask the person you work for to give each session a server with a name of its own: TT_AGENT_ID.",
      ],
      [
        "the session is another harness's",
        TERMINAL,
        { harness: "codex" },
        "Give --harness claude, or leave it out.",
        "Give claude as harness, or leave it out.",
      ],
    ])("is refused because %s, with advice that its reader can follow", async (_, options, input, atShell, overMcp) => {
      const world = new Registry();
      await world.joined(CLAUDE, world.elsewhere, { sessionId: ID });
      const refusal = await claimedIn(world, input, options);
      if (!isRefusal(refusal)) throw new Error("it is refused");
      expect(wordNext(refusal.next)).toBe(atShell);
      expect(wordNext(refusal.next, commandFor, "server")).toBe(overMcp);
      const { structuredContent } = await respond(async () => refusal, commandFor);
      expect(structuredContent["next"]).toBe(overMcp);
    });

    it("is refused while the session is in use, and no process is spoken of that nobody has seen", async () => {
      const seen = new Registry();
      await seen.joined(CLAUDE, seen.elsewhere, { sessionId: ID });
      expect(await claimedIn(seen)).toMatchObject({
        message: `Session ${ID} is ${CLAUDE}, which runs in another process.`,
      });
      const unseen = new Registry();
      await unseen.joined(CLAUDE, unseen.elsewhere, { sessionId: ID, process: null });
      for (const input of [{}, { harness: "claude" }]) {
        expect(await claimedIn(unseen, input)).toMatchObject({
          error: "not_authorized",
          message: `Session ${ID} is ${CLAUDE}, which is in use.`,
        });
      }
      expect(unseen.claims).toEqual([]);
    });

    it("is refused while the session is in use as one of no harness", async () => {
      const world = new Registry();
      await world.joined(idOf("agent", ID), world.here, { sessionId: ID, process: null });
      expect(await claimedIn(world, { harness: "claude" })).toMatchObject({ error: "not_authorized" });
    });

    it("may be repeated by the one who has claimed it", async () => {
      const world = new Registry();
      const agentId = idOf("agent", ID);
      await world.joined(agentId, world.here, { sessionId: ID, process: null });
      const claim = { harness: "agent", sessionId: ID };
      expect(await claimedIn(world, {}, { ...TERMINAL, records: { claim } })).toMatchObject({ agentId });
    });
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
