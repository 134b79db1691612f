/** Wires the page's server: its secret, the files of the page, and the person's browser. A program of its own, as the console is. */
import { isRefusal } from "../../core/refusal.ts";
import { openBrowser } from "../../platform/page/open-browser.ts";
import { readPageFile } from "../../platform/page/page-files.ts";
import { writeRedirectFile } from "../../platform/page/redirect-file.ts";
import { createRunSecret } from "../../platform/page/run-secret.ts";
import { runPlainLine } from "../../surfaces/cli/run-command.ts";
import { openUi } from "../../surfaces/ui/open-ui.ts";
import { uiCommand } from "../../surfaces/ui/ui-command.ts";
import type { OpenedBrowser, PageFile, UiPorts } from "../../surfaces/ui/ui-ports.ts";
import { type Ran, runMain } from "../run-main.ts";
import { readSettings } from "../settings.ts";

/** Null when the line is for the whole program, which comes back here for a line that has flags before its command. */
export function main(): Promise<Ran | null> {
  const command = uiCommand((context, options) => openUi(context, options, createUiPorts()));
  return runMain((words, ports) => runPlainLine(words, ports, [command]));
}

function createUiPorts(): UiPorts {
  return { secret: createRunSecret(), files: pageFiles(), openBrowser: startBrowser };
}

const FILES = [
  { path: "/", name: "index.html", type: "text/html; charset=utf-8" },
  { path: "/page.js", name: "page.js", type: "text/javascript; charset=utf-8" },
  { path: "/page.css", name: "page.css", type: "text/css; charset=utf-8" },
  { path: "/icon.svg", name: "icon.svg", type: "image/svg+xml" },
] as const;

function pageFiles(): ReadonlyMap<string, PageFile> {
  return new Map(FILES.map(({ path, name, type }) => [path, { type, bytes: readPageFile(name) }]));
}

async function startBrowser(redirect: string, quit: AbortSignal): Promise<OpenedBrowser | null> {
  const settings = readSettings(process.env);
  if (isRefusal(settings)) return null;
  const file = writeRedirectFile(settings.dataDir, redirect);
  if (await openBrowser(process.env, file.path, quit)) return { forget: () => file.remove() };
  file.remove();
  return null;
}
