/** The machines of a run, their working trees, and who works where. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { git, makeRepository } from "../../test/support/git-repository.ts";
import type { HostNetwork, TestHost } from "../../test/support/host-network.ts";
import type { Place } from "./crew.ts";

/** Agents that work much faster than in life would meet the limit. */
const SETTINGS = { TT_SEND_RATE_PER_MIN: "0" };
/** Agents in one working tree. */
const IN_A_ROOM = 5;

export interface Machine {
  readonly name: string;
  readonly disk: string;
  host: TestHost;
}

export async function startMachines(network: HostNetwork, count: number, directory: string): Promise<Machine[]> {
  const machines: Machine[] = [];
  for (let index = 1; index <= count; index += 1) {
    const [name, disk] = [`machine-${index}`, join(directory, `machine-${index}`)];
    mkdirSync(disk);
    machines.push({ name, disk, host: await boot(network, { name, disk }) });
  }
  return machines;
}

/** With the disk and the machine id that it had before, and a boot of its own. */
export function boot(network: HostNetwork, { name, disk }: Pick<Machine, "name" | "disk">): Promise<TestHost> {
  const machineId = Buffer.from(name.padEnd(16, "-")).toString("hex");
  return network.host({ name, disk, machineId, ownBoot: true }, SETTINGS);
}

/** Each machine has a clone of each project, and some agents in each clone. */
export function placesOn(machines: readonly Machine[], agents: number, directory: string): readonly Place[] {
  const projects = Math.max(1, Math.ceil(agents / machines.length / IN_A_ROOM));
  const origins = Array.from({ length: projects }, (_, index) =>
    makeRepository(join(directory, `project-${index + 1}`)),
  );
  const clones = machines.map(({ host }, machine) =>
    origins.map((origin, project) =>
      cloneOf(origin, join(host.ground.env["HOME"] ?? "", `project-${project + 1}`), machine),
    ),
  );
  const seats = Array.from({ length: agents }, (_, index) => {
    const machine = index % machines.length;
    const project = Math.floor(index / machines.length) % projects;
    return { agentId: `agent:${index + 1}`, machine, project, tree: clones[machine]?.[project] ?? "" };
  });
  return seats.map(({ project, ...seat }) => {
    const colleagues = seats.filter((other) => other.project === project && other.agentId !== seat.agentId);
    const idsOf = (isMate: boolean) =>
      colleagues.filter(({ machine }) => (machine === seat.machine) === isMate).map(({ agentId }) => agentId);
    return { ...seat, mates: idsOf(true), others: idsOf(false) };
  });
}

/** Of one project, because all clones have the same remote. */
function cloneOf(origin: string, tree: string, machine: number): string {
  git("/", "clone", "--quiet", origin, tree);
  git(tree, "remote", "set-url", "origin", `git@example.org:team/${tree.split("/").at(-1)}.git`);
  git(tree, "config", "user.name", `machine ${machine + 1}`);
  return tree;
}
