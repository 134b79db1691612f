/** Starts the browser of this user, which goes on when the program has ended. */
import { pathToFileURL } from "node:url";
import { findProgram } from "../process/find-program.ts";
import type { Environment } from "../settings/environment.ts";

/** A starter that fails says so within this time. One that still runs is taken for the browser itself. */
const FAILS_WITHIN_MS = 3000;

/** Whether a browser was started, as far as that can be told. Once `quit` is aborted, it does not wait to see. */
export async function openBrowser(env: Environment, file: string, quit: AbortSignal): Promise<boolean> {
  for (const [program, ...args] of startersIn(env, pathToFileURL(file).href)) {
    const found = program === undefined ? null : findProgram(env, program);
    if (found !== null && (await start(found, args, { env, quit }))) return true;
  }
  return false;
}

/** The commands to try, in their order. BROWSER is a list as xdg-open reads it: each may name its place for the address. */
function startersIn(env: Environment, address: string): readonly (readonly string[])[] {
  const chosen = (env["BROWSER"] ?? "").split(":").map((command) => command.trim().split(/\s+/));
  const own = chosen
    .filter(([program]) => program)
    .map((words) =>
      words.some((word) => word.includes("%s"))
        ? words.map((word) => word.replaceAll("%s", address))
        : [...words, address],
    );
  if (process.platform === "darwin") return [...own, ["/usr/bin/open", address]];
  // Without a display, xdg-open would start a browser in this terminal.
  const hasDisplay = Boolean(env["DISPLAY"] || env["WAYLAND_DISPLAY"]);
  return hasDisplay ? [...own, ["xdg-open", address]] : own;
}

interface Start {
  readonly env: Environment;
  readonly quit: AbortSignal;
}

function start(program: string, args: readonly string[], { env, quit }: Start): Promise<boolean> {
  const { spawn } = process.getBuiltinModule("node:child_process");
  return new Promise((resolve) => {
    const over = (isOpen: boolean) => {
      clearTimeout(timer);
      quit.removeEventListener("abort", isTaken);
      resolve(isOpen);
    };
    const isTaken = () => over(true);
    const timer = setTimeout(isTaken, FAILS_WITHIN_MS);
    quit.addEventListener("abort", isTaken);
    try {
      const child = spawn(program, [...args], { cwd: "/", env: { ...env }, detached: true, stdio: "ignore" });
      child.on("error", () => over(false));
      child.on("exit", (code) => over(code === 0));
      child.unref();
    } catch {
      // No memory or no file handles for a child.
      over(false);
    }
  });
}
