/**
 * What the plugin knows of the sessions that this process of OpenCode serves, and what it does for each.
 *
 *   unknown ──prompt──▶ busy ──end of the turn──▶ ending ──answer of the hook──▶ idle ──prompt──▶ busy … ──end──▶ over
 *
 * The plugin knows a session from its first prompt in this process. It shows the session's mail with a prompt and after
 * tools. It prompts the session itself in two cases: a turn has ended and something waits, or an idle session gets a
 * flag. The words of that prompt are always the same. The mail comes with it, as with any other prompt, and is
 * acknowledged only then, so a prompt that never arrives loses no mail. When a session ends, the plugin waits for the
 * hooks that it has called for this session before it calls the hook for the end: a hook that comes after the end might
 * bring the session back.
 */
import type { OpencodeClient, PromptChoice } from "./host.ts";

type Facts = Readonly<Record<string, unknown>>;

export interface HookAnswer {
  readonly context?: string;
  readonly go_on?: string;
  /** Why a tool is refused. */
  readonly deny?: string;
}

/** Our hook script, and the flags that tell whether calling it is worthwhile. */
export interface HookScript {
  /** The script's answer; null if it has none, or if anything went wrong. */
  ask(event: string, sessionId: string, more: Facts): Promise<HookAnswer | null>;
  /** Resolves after a while. */
  pause(ms: number): Promise<void>;
  /** Whether there may be something for the session. */
  isFlagged(sessionId: string): boolean;
}

interface Session {
  state: "busy" | "ending" | "idle" | "over";
  /** The agent and model that its user has chosen. */
  choice: PromptChoice;
  /** After its context was compacted: what to tell its model again, with the next prompt. */
  brief: string;
  /** The turn goes on because we asked for it at its end. */
  goesOn: boolean;
  /** The user stopped the turn, or a request in it failed. */
  isBroken: boolean;
  /** How many idle events of a broken turn may still come: OpenCode sends two, and the second may be late. */
  lateIdles: number;
  /** The prompt that began the turn. */
  turn: string;
  /** The model has answered in this turn, so an event that tells of an end means this turn. */
  isAnswered: boolean;
  isBeingWoken: boolean;
  /** A flag came while the session was being woken. The script may have looked before that. */
  isFlaggedAgain: boolean;
  /** The calls of the hook script for this session that have not ended yet. */
  readonly asked: Set<Promise<unknown>>;
  /** Those of them that tell how the turn goes. They settle the mail that the session was shown. */
  readonly signs: Set<Promise<unknown>>;
}

const IDLES_AFTER_BREAK = 2;

const SIGNS = ["pre-tool", "stop", "turn-broken", "session-start"];

/** On a busy machine the script may not answer whether to wake the session. Then the plugin asks again. */
const WAKE_TRIES = 4;
const BETWEEN_TRIES_MS = 2000;

export class Sessions {
  readonly #known = new Map<string, Session>();
  readonly #client: OpencodeClient;
  readonly #script: HookScript;
  /** The facts that every call of the script gets. */
  readonly #place: Facts;
  #isOver = false;

  constructor(client: OpencodeClient, script: HookScript, place: Facts) {
    this.#client = client;
    this.#script = script;
    this.#place = place;
  }

  /** A prompt begins a turn. Returns the text to show with it. */
  async prompted(sessionId: string, messageId: string, choice: PromptChoice): Promise<string> {
    if (this.#isOver) return "";
    const known = this.#known.get(sessionId);
    const session: Session = known ?? {
      state: "busy",
      choice,
      brief: "",
      goesOn: false,
      isBroken: false,
      lateIdles: 0,
      turn: messageId,
      isAnswered: false,
      isBeingWoken: false,
      isFlaggedAgain: false,
      asked: new Set(),
      signs: new Set(),
    };
    // A prompt that comes during a turn belongs to that turn.
    if (session.state !== "busy" || session.isBroken) Object.assign(session, { turn: messageId, isAnswered: false });
    this.#known.set(sessionId, Object.assign(session, { state: "busy", choice, isBroken: false }));
    // First wait for the hooks that still tell of an earlier turn.
    await Promise.allSettled(session.signs);
    const started = known ? {} : await this.#ask("session-start", sessionId, { source: "startup" });
    const brief = started.context ?? session.brief;
    session.brief = "";
    const { context } = session.state === "over" ? {} : await this.#ask("prompt", sessionId);
    return [brief, context].filter(Boolean).join("\n\n");
  }

  /** `subagent`: its session, if a subagent uses the tool. That does not prove that the main model went on. */
  toolBegins(sessionId: string, subagent: string | null): void {
    const session = this.#known.get(sessionId);
    // After an error the turn may go on.
    if (session && subagent === null) Object.assign(session, { isBroken: false, isAnswered: true });
    // Nobody waits for it, so a failure must end here: it would end OpenCode otherwise.
    this.#ask("pre-tool", sessionId, subagent === null ? {} : { agent_id: subagent }).catch(() => undefined);
  }

  /** Why a tool must not run; null if it may. */
  async refusal(sessionId: string, tool: string, input: Facts): Promise<string | null> {
    const { deny } = await this.#ask("guard", sessionId, { tool_name: tool, tool_input: input });
    return deny ?? null;
  }

  /** Its model has answered a prompt. */
  answered(sessionId: string, messageId: string): void {
    const session = this.#known.get(sessionId);
    if (session?.turn === messageId) session.isAnswered = true;
  }

  async toolEnded(sessionId: string): Promise<string> {
    const session = this.#known.get(sessionId);
    // A tool that its user has stopped ends after its turn.
    if (session?.isBroken) return "";
    // The hook of the tool's beginning settles mail. Wait for it, so that it does not settle what is shown now.
    if (session) await Promise.allSettled(session.signs);
    const { context = "" } = await this.#ask("post-tool", sessionId);
    return context;
  }

  /** Compaction has removed what was shown before from the model's context. */
  async compacted(sessionId: string): Promise<void> {
    const session = this.#known.get(sessionId);
    if (!session || session.state === "over") return;
    const { context = "" } = await this.#ask("session-start", sessionId, { source: "compact" });
    session.brief = context;
  }

  async broken(sessionId: string): Promise<void> {
    const session = this.#known.get(sessionId);
    if (!session || session.state === "over" || session.isBroken) return;
    session.isBroken = true;
    session.lateIdles = IDLES_AFTER_BREAK;
    await this.#ask("turn-broken", sessionId);
  }

  async turnEnded(sessionId: string): Promise<void> {
    const session = this.#known.get(sessionId);
    if (!session) return;
    const isLate = session.lateIdles > 0 && !session.isBroken && !session.isAnswered;
    session.lateIdles = Math.max(0, session.lateIdles - 1);
    if (session.state !== "busy" || isLate) return;
    const wasAsked = session.goesOn;
    session.goesOn = false;
    if (session.isBroken) {
      // A person who stops a turn does not want it to go on.
      session.state = "idle";
      return;
    }
    // The hook may let the turn go on for a message. So that message does not wake the session, too.
    session.state = "ending";
    const { go_on: words } = await this.#ask("stop", sessionId, { stop_hook_active: wasAsked });
    if (!isEnding(session)) return;
    session.state = "idle";
    if (words) {
      session.goesOn = true;
      return this.#prompt(sessionId, session, words);
    }
    // A flag may have appeared before the session was idle, when nobody looked.
    if (this.#script.isFlagged(sessionId)) await this.flagged(sessionId);
  }

  /** Something has come for a session. A session that is at work sees it with its next tool or prompt. */
  async flagged(sessionId: string): Promise<void> {
    const session = this.#known.get(sessionId);
    if (session?.state !== "idle" || !this.#script.isFlagged(sessionId)) return;
    if (session.isBeingWoken) {
      session.isFlaggedAgain = true;
      return;
    }
    session.isBeingWoken = true;
    try {
      let isWoken = false;
      do {
        session.isFlaggedAgain = false;
        isWoken = await this.#wake(sessionId, session);
      } while (session.isFlaggedAgain && !isWoken);
    } finally {
      session.isBeingWoken = false;
    }
  }

  async #wake(sessionId: string, session: Session): Promise<boolean> {
    let wasCutOff = false;
    for (let tries = 1; session.state === "idle" && this.#script.isFlagged(sessionId); tries += 1) {
      const answer = await this.#asked("wake", sessionId);
      // The user may have written a prompt in the meantime.
      if (answer?.go_on && session.state === "idle") {
        await this.#prompt(sessionId, session, answer.go_on);
        return true;
      }
      // A call that was cut off may have claimed the wake. Then nobody else gets it until that claim lapses.
      wasCutOff ||= answer === null;
      if (!wasCutOff || tries === WAKE_TRIES) return false;
      await this.#script.pause(BETWEEN_TRIES_MS);
    }
    return false;
  }

  async ended(sessionId: string): Promise<void> {
    const session = this.#known.get(sessionId);
    if (!session) return;
    this.#known.delete(sessionId);
    session.state = "over";
    await Promise.allSettled(session.asked);
    await this.#ask("session-end", sessionId, { reason: "other" });
  }

  async allEnded(): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#known.keys()].map((sessionId) => this.ended(sessionId)));
  }

  async #prompt(id: string, { choice }: Session, text: string): Promise<void> {
    await this.#client.session.promptAsync({ path: { id }, body: { ...choice, parts: [{ type: "text", text }] } });
  }

  async #ask(event: string, sessionId: string, more: Facts = {}): Promise<HookAnswer> {
    return (await this.#asked(event, sessionId, more)) ?? {};
  }

  async #asked(event: string, sessionId: string, more: Facts = {}): Promise<HookAnswer | null> {
    const session = this.#known.get(sessionId);
    const turn = session && { turn_id: session.turn };
    const answer = this.#script.ask(event, sessionId, { ...this.#place, ...turn, ...more });
    const sets = SIGNS.includes(event) ? [session?.asked, session?.signs] : [session?.asked];
    for (const set of sets) set?.add(answer);
    try {
      return await answer;
    } finally {
      for (const set of sets) set?.delete(answer);
    }
  }
}

/** While a hook was asked, the user may have written a prompt, or the session may have ended. */
function isEnding({ state }: Session): boolean {
  return state === "ending";
}
