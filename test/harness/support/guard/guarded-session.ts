/** One session of a real harness goes through the phases. Another agent and a person arrange the room for each. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { scriptMark } from "../../../../src/prove/rules/script.ts";
import type { HarnessWorld, Mark } from "../harness-world.ts";
import { Peer } from "../peer.ts";
import { setUpGuarded } from "../set-up.ts";
import { type Places, placesIn } from "./attempts.ts";
import type { Holder, Phase } from "./phases.ts";
import { type PhaseAttempts, type PlannedPhase, planFor, TABLE } from "./plan.ts";
import type { GuardRow } from "./rows.ts";
import type { GuardedHarness, PermissionMode } from "./tools.ts";

/** What was tried, and what became of it. */
export interface Cell {
  readonly name: string;
  readonly row: GuardRow;
  readonly expected: string;
  readonly actual: string;
}

/** Where `tt install` puts the program that the hooks call. */
const HOOK = ".local/state/tt/hooks/tt-hook";
const ALLOWS_ALL = "#!/bin/sh\nexit 0\n";

export class GuardedSession {
  readonly #world: HarnessWorld;
  readonly #harness: GuardedHarness;
  readonly #peer: Peer;
  #holder: Holder = "nobody";

  constructor(world: HarnessWorld, harness: GuardedHarness) {
    this.#world = world;
    this.#harness = harness;
    this.#peer = new Peer(world);
    setUpGuarded(world, harness.driver);
    for (const [name, content] of Object.entries(harness.files ?? {})) world.write(name, content);
  }

  /** Directories for each phase. */
  places(phases: readonly Phase[]): (phase: Phase) => Places {
    const temporary = mkdtempSync(join(tmpdir(), "tt-outside-"));
    onTestFinished(() => rmSync(temporary, { recursive: true, force: true }));
    execFileSync("git", ["init", "-q", this.#world.directory("tree/nested")]);
    for (const { key } of phases) mkdirSync(join(temporary, key));
    return ({ key }) => placesIn(this.#world, key, temporary);
  }

  async run(all: readonly PhaseAttempts[], { flags, env = {} }: PermissionMode): Promise<readonly Cell[]> {
    const { driver } = this.#harness;
    const { scripts, phases, end } = planFor(this.#world, this.#harness, all);
    this.#world.script(scripts);
    await this.#peer.tt("join");
    const running = driver.prompt(this.#world, scriptMark(TABLE), { flags, env });
    const early = running.then(() => Promise.reject(new Error(`${driver.name} ended before its script did`)));
    const arrivals = (marks: readonly Mark[]) =>
      Promise.race([Promise.all(marks.map((mark) => mark.isThere())), early]);
    for (const { phase, arrived, go } of phases) {
      await arrivals(arrived);
      await this.#arrange(phase);
      go.set();
    }
    await arrivals(end.arrived);
    end.go.set();
    early.catch(() => undefined);
    await running;
    return phases.flatMap((planned) => this.#cells(planned));
  }

  /** How often the model was told that it should hold the stick. */
  timesAdvised(): number {
    const last = this.#world.requestsOf(this.#harness.driver.name, TABLE).at(-1) ?? "";
    return last.split("Before you write, take the stick").length - 1;
  }

  async #arrange({ mode, holder, sabotaged }: Phase): Promise<void> {
    // The session itself takes the stick and gives it back.
    if (this.#holder === "another" && holder !== "another") {
      await this.#peer.tt("release", "--status", "tried", "--next-action", "try");
    }
    if (this.#holder !== "another" && holder === "another") await this.#peer.tt("try");
    this.#holder = holder;
    await this.#peer.asPerson("guard", mode, "--no-git");
    if (sabotaged) writeFileSync(join(this.#world.home, HOOK), ALLOWS_ALL);
  }

  #cells({ phase, tried }: PlannedPhase): readonly Cell[] {
    const { name: harness } = this.#harness.driver;
    const scripts = new Set(tried.map(({ script }) => script));
    const answers = new Map([...scripts].map((script) => [script, this.#world.answers(harness, script)]));
    return tried.map(({ script, index, attempt: { name, row, expected, outcome } }) => ({
      name: `${phase.key}: ${script === TABLE ? name : `${name} of a subagent`}`,
      row,
      expected,
      actual: outcome(answers.get(script)?.[index] ?? "nothing"),
    }));
  }
}
