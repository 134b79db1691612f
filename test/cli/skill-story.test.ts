/**
 * Two agents that do what the skill says, and nothing else, from join to leave: both get their turns, one after the
 * other, and the stick is never unused while one of them waits for it. A person pauses them in between.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeRepository } from "../support/git-repository.ts";
import { asPerson, CliWorld } from "./support/cli-world.ts";
import { pathWithTt } from "./support/shell-agent.ts";

const skill = readFileSync(join(import.meta.dirname, "../../skills/talking-stick/SKILL.md"), "utf8");
const TURNS = 4;

/** The line of the skill's examples, or in its sentences, that begins so. */
function line(begins: string): string {
  const found =
    new RegExp(`^${begins}.*$`, "m").exec(skill)?.[0] ?? new RegExp(`\`(${begins}[^\`]*)\``).exec(skill)?.[1];
  if (found === undefined) throw new Error(`the skill does not tell to type ${begins}`);
  return found;
}

interface Answer {
  readonly code: number | null;
  readonly said: Record<string, unknown>;
}

class SkilledAgent {
  readonly name: string;
  readonly #world: CliWorld;
  readonly #file: string;
  readonly notYet: Record<string, unknown>[] = [];
  readonly released: Record<string, unknown>[] = [];
  readonly handoffs: unknown[] = [];
  readonly mail: { readonly origin: string }[] = [];
  notes = 0;
  #hadItsTurns: () => void = () => undefined;
  readonly hasHadItsTurns = new Promise<void>((resolve) => {
    this.#hadItsTurns = resolve;
  });

  constructor(world: CliWorld, name: string) {
    this.name = name;
    this.#world = world;
    this.#file = join(world.tree, "story.txt");
  }

  async type(words: string): Promise<Answer> {
    const running = this.#world.startProgram("sh", ["-c", words], {
      who: `${this.name}:1`,
      env: { TT_HARNESS_AGENT_ID: `${this.name}:1`, PATH: pathWithTt(this.#world) },
    });
    const { code, stdout, stderr } = await running.ended;
    expect([words, stderr]).toEqual([words, ""]);
    return { code, said: JSON.parse(stdout) as Record<string, unknown> };
  }

  /** The loop of the skill, until it has had its turns. */
  async live(others: {
    readonly peer: string;
    /** The other one has had its turns, too. */
    readonly ready: Promise<void>;
    readonly beforeWork: (turn: number) => Promise<void>;
  }): Promise<void> {
    await this.type(line("tt join"));
    for (let turn = 1; turn <= TURNS; turn += 1) {
      await this.#untilMyTurn();
      await others.beforeWork(turn);
      this.notes = ((await this.type(line("tt notes list --open"))).said["notes"] as unknown[]).length;
      appendFileSync(this.#file, `${this.name} begins ${turn}\n`);
      await this.type(line("tt msg send codex").replace("codex", others.peer));
      appendFileSync(this.#file, `${this.name} ends ${turn}\n`);
      this.released.push((await this.type(line("tt release"))).said);
    }
    this.#hadItsTurns();
    await others.ready;
    const { messages } = (await this.type(line("tt msg recv"))).said;
    this.mail.push(...(messages as SkilledAgent["mail"]));
    await this.type(line("tt leave"));
  }

  async #untilMyTurn(): Promise<void> {
    for (;;) {
      const { code, said } = await this.type(line("tt wait"));
      this.mail.push(...((said["messages"] as SkilledAgent["mail"] | undefined) ?? []));
      if (code === 0) return void this.handoffs.push(said["handoff"]);
      expect([code, said["status"]]).toEqual([3, "not_yet"]);
      this.notYet.push(said);
    }
  }
}

function linesOf(world: CliWorld): readonly string[] {
  const file = join(world.tree, "story.txt");
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
}

it("the stick is never unused while one of two agents that follow the skill wants it", async () => {
  const world = new CliWorld();
  makeRepository(world.tree);
  const [claude, codex] = [new SkilledAgent(world, "claude"), new SkilledAgent(world, "codex")];
  await codex.type(line("tt join"));
  await codex.type(line("tt notes add"));
  let pausedAt: readonly string[] = [];
  let codexLives = Promise.resolve();
  await claude.live({
    peer: "codex",
    ready: codex.hasHadItsTurns,
    async beforeWork(turn) {
      if (turn !== 1) return;
      // A person pauses the room, and lets it go on when the waiting agent was told.
      await asPerson(world, "pause --reason lunch");
      codexLives = codex.live({ peer: "claude", ready: claude.hasHadItsTurns, beforeWork: async () => undefined });
      await expect.poll(() => codex.notYet.some(({ paused }) => paused !== undefined), { timeout: 60_000 }).toBe(true);
      pausedAt = linesOf(world);
      await asPerson(world, "resume");
    },
  });
  await codexLives;

  const story = linesOf(world);
  expect(story).toHaveLength(4 * TURNS);
  // An agent that begins ends before the other begins.
  for (let at = 0; at < story.length; at += 2) expect(story[at + 1]).toBe(story[at]?.replace("begins", "ends"));
  expect(pausedAt).toEqual([]);
  for (const agent of [claude, codex]) {
    expect(agent.mail.filter(({ origin }) => origin === "peer")).toHaveLength(TURNS);
    expect(agent.notes).toBe(1);
    expect(agent.handoffs.filter((handoff) => handoff !== null).length).toBeGreaterThanOrEqual(TURNS - 1);
    // A waiting agent is never told to wait beside a stick that is free.
    for (const { current_owner: owner, reserved_for: reserved, paused } of agent.notYet)
      expect(owner ?? reserved ?? paused).toBeDefined();
    // A stick that is released while the other waits is reserved for it at once.
    for (const { waiting_count: waiting, reserved_for: reserved } of agent.released)
      expect(waiting === 0 || typeof reserved === "string").toBe(true);
  }
  const { events } = (await world.done("log --json --limit 500")).json() as { events: { event_type: string }[] };
  const types = events.map(({ event_type }) => event_type);
  expect(types.filter((type) => type === "claim")).toHaveLength(2 * TURNS);
  expect(types).not.toContain("reservation_expired");
  expect(types.slice(-1)).toEqual(["member_left"]);
});
