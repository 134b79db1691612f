/** docs/scale.md: the last whole run, and what follows from its figures. */
import { cpus } from "node:os";
import { machine } from "../document.ts";
import type { Phase } from "./phase.ts";
import { failuresOf, mean, tableOf } from "./report.ts";
import type { Result } from "./run.ts";

export interface Occasion {
  readonly command: string;
  /** Of the machine, when the run began. */
  readonly loadBefore: number;
  readonly serverVersion: string;
}

export function documentOf(result: Result, { command, loadBefore, serverVersion }: Occasion): string {
  const { plan, rooms, account, troubled } = result;
  const [life] = result.phases;
  if (life === undefined) throw new Error("a run has at least one phase");
  const cutSeconds = troubled.cut ? Math.round((troubled.cut.untilUs - troubled.cut.fromUs) / 1e6) : 0;
  return `# A team at scale

\`npm run scale\` lets ${plan.agents} agents work on ${plan.machines} machines over one PostgreSQL server, and holds the server to account. \`--write\` keeps
the last whole run here.

- Date: ${new Date().toISOString().slice(0, 10)}
- Machine: ${machine()}; load ${loadBefore.toFixed(1)} before the run
- Server: PostgreSQL ${serverVersion} with its default settings but for \`max_connections\`, on the same ${cpus().length} cores
- Command: \`${command}\`, seed ${plan.seed}

## What they do

Each agent is a process of its own. Each machine has its own network, processes, name and machine id, but no cores of its
own: all of them and the server share those of this one. Each machine has a clone of each project, and about five agents in
each clone, which makes ${rooms} rooms. In an hour of life an agent wants the stick every four minutes and works for a minute and a
half. It sends 40 messages and asks 6 questions, a third of them to agents on other machines, takes 10 notes and looks at
the room 20 times. It takes its mail and answers what it is asked. Each turn writes to a file in git. All this goes ${plan.pace} times faster
than in life, so ${plan.minutes} minutes are ${timeOf(plan.minutes * plan.pace)} of work. Besides, each agent starts a \`tt\` command every minute at any pace.

Meanwhile agents are killed and come back. One machine loses its power and comes back, another one is cut off for ${cutSeconds} s.
Then follow some minutes at higher paces, to see where it ends.

## What became of it

${tableOf(result)}

A message is timed from the call that sends it until its agent has it. The upper row has those whose agent was waiting for
mail just then; in the row below, some agents were at work or dead. A grant is timed from the call that releases until the
next one, which was waiting, has its turn. What was under way while a machine was cut off is not in these times.

- ${troubled.deaths} deaths, ${troubled.returns} returns
- ${account.messages} messages, questions and answers: **${account.lost.length} lost**; ${account.cameAgain} came more than once
- ${account.turns} turns: **${account.doubled.length} doubled**, ${account.wrong.length} that do not fit the log or its handoffs

Calls that did not do what they were asked, by the code that they were told:

${
  failuresOf(result)
    .map((line) => `- ${line}`)
    .join("\n") || "- none"
}

A message is lost if its sender was told that it was sent, or the log has it, and its recipient never saw it. A turn is
doubled if two agents were granted it, or if one was granted the next turn before the other began to release. Both are judged
by what the agents themselves were told, up to the moment when they were killed, and compared with the log.

## Where it ends

${endOf(result, life)}`;
}

function endOf({ plan, phases, serverMemory }: Result, life: Phase): string {
  const connections = mean(life.connections);
  const most = Math.max(...life.connections);
  const growth = ((life.until.databaseBytes - life.from.databaseBytes) / life.done) * hourlyOf(plan.agents, life);
  return `${coresOf(plan.agents, phases)}- **Connections** end first. ${plan.agents} agents had ${connections.toFixed(0)} on average, and ${most} at most. \`max_connections\` is 100 by
  default, which is enough for about ${round((100 * plan.agents) / most)} such agents. A connection took ${(serverMemory / connections / 1_048_576).toFixed(1)} MB of the server's memory.
- **Disk.** The database grew by ${(growth / 1024).toFixed(0)} KB for each agent and hour of life. \`tt prune\` removes what is over.
- **One room.** A stick goes round no faster than a grant takes, however many agents wait for it.
`;
}

/** What the server's processor does for an agent that waits, and for an operation, from the slowest and the fastest phase. */
function coresOf(agents: number, phases: readonly Phase[]): string {
  const [slow, fast] = [phases[0], phases.at(-1)];
  if (slow === undefined || fast === undefined || slow === fast) return "";
  const [perSlow, perFast] = [slow, fast].map(({ done, seconds }) => done / seconds) as [number, number];
  const perOperation = (serverShare(fast) - serverShare(slow)) / (perFast - perSlow);
  const perAgent = Math.max(0, (serverShare(slow) - perOperation * perSlow) / agents);
  const hourly = hourlyOf(agents, slow);
  const most = 1 / (perAgent + (perOperation * hourly) / 3600);
  return `- **The server's processor.** An operation took ${(perOperation * 1000).toFixed(1)} ms of it, and an agent that waits ${(perAgent * 100).toFixed(2)} % of a core. An agent of
  this kind does ${Math.round(hourly)} operations an hour in life. By these figures, one core of the server is full with about ${round(most)} agents, which
  nobody has tried.
- **This machine.** The agents share the cores with the server here, and took ${shareOf(fast)} of them at ${fast.pace} × life. What the times
  at the highest paces show is the end of these cores, not of the server.
`;
}

/** What an agent does in an hour of life. */
function hourlyOf(agents: number, { done, seconds, pace }: Phase): number {
  return (done / seconds / agents / pace) * 3600;
}

/** Of one core. */
function serverShare({ from, until, seconds }: Phase): number {
  return (until.serverCpu - from.serverCpu) / seconds;
}

/** Of all the time of all cores. */
function shareOf({ from, until, seconds }: Phase): string {
  return `${(((until.agentsCpu - from.agentsCpu) / seconds / cpus().length) * 100).toFixed(0)} %`;
}

/** Two digits are all that such a figure can bear. */
function round(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.round(value / unit) * unit;
}

function timeOf(minutes: number): string {
  return minutes === 60 ? "an hour" : `${minutes} minutes`;
}
