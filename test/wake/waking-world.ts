/** A sender and a session that can be woken by ways which the test controls, on the memory store. */
import { asAgentId } from "../../src/core/ids.ts";
import { wallTime } from "../../src/core/time.ts";
import type { Deps } from "../../src/engine/deps.ts";
import type { TracedWake } from "../../src/engine/ports/trace.ts";
import type { Waking } from "../../src/engine/ports/wake.ts";
import { claimWake } from "../../src/mail/claim-wake.ts";
import type { WakeMode, WakeTry } from "../../src/mail/rules/wake-status.ts";
import { type ActivityState, ALL_CAPABILITIES, newSession, type Session } from "../../src/session/rules/session.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { withWakes } from "../../src/wake/wake-recipients.ts";
import { processOf } from "../support/room-world.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

export class WakingWorld {
  readonly world = new ServiceWorld();
  readonly traced: TracedWake[] = [];
  /** What was done, in order. */
  readonly acts: string[] = [];
  mode: WakeMode = "auto";
  hasInbox = false;
  /** By default the session shows at once that it was woken. */
  push: (text: string) => Promise<WakeTry> = async () => this.showLife();
  obstacle: WakeTry | null = "no_target";
  type: () => Promise<WakeTry> = async () => "sent";
  /** What was put into its inbox. */
  readonly texts: string[] = [];
  /** How much time keys were given, if any were typed. */
  typedForMs = 0;
  roomId = "";
  #signMs = 0;
  /** What the harness itself says of its session, if it says anything. */
  activity: ActivityState | null = null;
  /** Since when, on the clock of the world; null if it does not say so. */
  activityMs: number | null = null;

  get deps(): Deps {
    const trace = {
      delivery: () => undefined,
      wake: (wake: TracedWake) => void this.traced.push(wake),
      fault: () => undefined,
    };
    const since = () => this.activityMs && wallTime(this.activityMs);
    const activity = () => (this.activity === null ? null : { state: this.activity, since: since() });
    const sights = { activity } as unknown as NonNullable<Deps["sights"]>;
    const lastSign = (sessionId: string) =>
      sessionId === "session-b" && this.#signMs > 0 ? { epoch: "boot-1", ms: this.#signMs } : null;
    const ports = { ...this.world.deps, activity: { lastSign } };
    return withWakes({ ...ports, waking: this.waking, trace, ...(this.activity !== null && { sights }) });
  }

  get waking(): Waking {
    const acting = (what: string, act: () => Promise<WakeTry>) => {
      this.acts.push(what);
      return act();
    };
    return {
      mode: this.mode,
      hasInbox: () => this.hasInbox,
      push: (_target, { text }) =>
        acting("push", () => {
          this.texts.push(text);
          return this.push(text);
        }),
      obstacle: async () => this.obstacle,
      type: async (_target, forMs, mayAct) => {
        this.typedForMs = forMs;
        return (await mayAct()) ? acting("type", this.type) : "failed";
      },
    };
  }

  /** `inside`: in whose process it runs, as a session of its own. */
  as(agent: string, inside = agent) {
    const harness = agent.split(":")[0] ?? agent;
    return createTalkingStick(this.deps, {
      agentId: asAgentId(agent),
      harness,
      isPerson: false,
      process: processOf(inside),
      sessionId: `session-${agent}`,
      formerId: null,
      tmuxPane: null,
    });
  }

  /** `a` and `b` are members; `b` is the one to be woken. */
  static async open(): Promise<WakingWorld> {
    const waking = new WakingWorld();
    const contextPath = waking.world.directory("project");
    const { roomId } = accepted(await waking.as("a").joinPath({ contextPath }));
    accepted(await waking.as("b").joinPath({ contextPath }));
    waking.roomId = roomId;
    return waking;
  }

  get project(): string {
    return this.world.directory("project");
  }

  /** Lets the clock go on by itself, as real ones do. */
  letTimePass(): void {
    const since = performance.now();
    Object.defineProperty(this.world, "nowMs", { get: () => 1_000_000 + performance.now() - since });
  }

  /** A hook of `b` leaves a sign of life. */
  showLife(): "sent" {
    this.#signMs = Math.max(this.#signMs + 1, this.world.nowMs);
    return "sent";
  }

  /** What is told about `b`. */
  async know(news: Partial<Session>): Promise<void> {
    const key = { agentId: asAgentId("b"), project: this.project };
    await this.world.deps.store.changeSession(key, (row) => ({
      ...(row ?? newSession(key, "b")),
      capabilities: ALL_CAPABILITIES,
      ...news,
    }));
  }

  async send(more: object = {}, from = "a") {
    const sent = accepted(await this.as(from).sendMessage({ roomId: this.roomId, to: "b", body: "hello", ...more }));
    const [receipt] = sent.deliveries;
    return { ...receipt, messageId: sent.messageId };
  }

  async readAll(): Promise<void> {
    const taken = accepted(await this.as("b").takeMessages({}));
    await taken.confirm();
  }

  /** Another process claims the wake of `b` for what is unread. */
  async claimBy(agent: string) {
    const { deliveries } = await this.live();
    return claimWake(this.deps, asAgentId("b"), deliveries.at(-1)?.seq ?? 0, processOf(agent));
  }

  async box() {
    return (await this.live()).box;
  }

  /** The mailbox of `b` with what is unread in it. */
  async live() {
    return (await this.world.deps.store.readMailbox(asAgentId("b"), { kind: "live", limit: 10 })).window;
  }
}
