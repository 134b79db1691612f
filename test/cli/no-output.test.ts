/** Commands that take mail where nobody can read what they print. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { CliWorld } from "./support/cli-world.ts";

const A = { as: "a:1" };
const B = { as: "b:2" };

/** How a shell runs a command whose standard output is what the redirection says. */
const redirected = (how: string) => ({ ...B, through: ["sh", "-c", `"$@" ${how}`, "sh"] });

async function worldWithMail(): Promise<CliWorld> {
  const world = new CliWorld();
  await world.done("join", A);
  await world.done("join", B);
  await world.done("msg send b:2 hello", A);
  return world;
}

async function waiting(world: CliWorld): Promise<unknown> {
  return (await world.done("msg recv --peek --json", B)).json()["count"];
}

it.each(["msg recv", "msg recv --wait", "msg recv --follow", "listen", "ask a:1 why"])(
  "tt %s takes nothing where standard output is closed",
  async (words) => {
    const world = await worldWithMail();
    const { code, stderr } = await world.tt(`${words} --json`, redirected(">&-"));
    expect(code).toBe(70);
    expect(JSON.parse(stderr)).toMatchObject({
      error: "output_failed",
      message: expect.stringContaining("standard output is closed"),
    });
    expect(await waiting(world)).toBe(1);
    expect((await world.done("msg recv --peek --json", A)).json()).toMatchObject({ count: 0 });
  },
);

it("nor where its parent process discards the output", async () => {
  const world = await worldWithMail();
  const child = spawn(process.execPath, [world.program, "msg", "recv"], {
    cwd: world.tree,
    env: world.env({ TT_AGENT_ID: "b:2" }),
    stdio: "ignore",
    detached: true,
  });
  const [code] = (await once(child, "exit")) as [number];
  expect(code).toBe(70);
  expect(await waiting(world)).toBe(1);
});

it("a shell's own /dev/null takes mail, and so does a file", async () => {
  for (const how of [">/dev/null", ">out.txt"]) {
    const world = await worldWithMail();
    expect(await world.tt("msg recv", redirected(how))).toMatchObject({ code: 0, stderr: "" });
    expect(await waiting(world)).toBe(0);
  }
});

it("a command that takes nothing may run without an output", async () => {
  const world = await worldWithMail();
  for (const words of ["try", "heartbeat", "msg recv --peek", "release --status x --next-action y"])
    expect(await world.tt(words, redirected(">&-")), words).toMatchObject({ code: 0, stderr: "" });
});

it("tt wait tells by its exit code that mail came, and takes none where standard output is closed", async () => {
  const world = await worldWithMail();
  await world.done("try", A);
  expect(await world.tt("wait --timeout 50s", redirected(">&-"))).toMatchObject({ code: 3, stderr: "" });
  expect(await waiting(world)).toBe(1);
});
