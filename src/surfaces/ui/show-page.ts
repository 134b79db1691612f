/** Brings the page to the person: starts the browser, or prints the address, which has the secret of this run in it. */
import { jsonText } from "../../core/visible.ts";
import type { CliContext } from "../cli/context.ts";
import { pause } from "../follow/follow-board.ts";
import type { OpenedBrowser, UiPorts } from "./ui-ports.ts";

interface ShowPage {
  readonly ports: UiPorts;
  readonly port: number;
  readonly opensBrowser: boolean;
  readonly isPerson: boolean;
  readonly isReadOnly: boolean;
  /** Aborted when the page has come. */
  readonly came: AbortSignal;
  readonly quit: AbortSignal;
}

/** Browsers start slowly. One that may not read the file never leads to the page. */
const PATIENCE_MS = 20_000;

/** Resolves once something is said. The file for the browser is removed later. */
export async function showPage(context: CliContext, show: ShowPage): Promise<void> {
  const { port, ports, opensBrowser, isPerson, isReadOnly, quit } = show;
  const origin = `http://127.0.0.1:${port}/`;
  const address = `${origin}#secret=${ports.secret.text}`;
  const say = (text: string) => context.ports.writeOut(`${text}\n`);
  if (await context.wantsJson()) return say(jsonText({ address, read_only: isReadOnly }));
  const only = isReadOnly ? " It only shows." : "";
  const browser = opensBrowser && isPerson ? await ports.openBrowser(redirectTo(address), quit) : null;
  if (quit.aborted) return browser?.forget();
  if (browser === null)
    return say(`${opensBrowser && isPerson ? "No browser could be started. " : ""}${WHOLE}${only}\n${address}`);
  // If the terminal has gone meanwhile, nobody is there to be told.
  void removeSoon(browser, show, () => say(`The page has not come. ${WHOLE}\n${address}`)).catch(() => undefined);
  return say(
    `The page is at ${origin}, and your browser opens it.${only} Ctrl-C ends it.\nFor an address to open yourself, start it with --no-open.`,
  );
}

const WHOLE = "Open this address; everyone who has it can use the page until Ctrl-C ends it.";

async function removeSoon(
  browser: OpenedBrowser,
  { came, quit }: ShowPage,
  notCome: () => Promise<void>,
): Promise<void> {
  await pause(PATIENCE_MS, AbortSignal.any([came, quit]));
  browser.forget();
  if (!came.aborted && !quit.aborted) await notCome();
}

/** The page as a file that leads to the address, without a script. */
function redirectTo(address: string): string {
  return [
    "<!doctype html>",
    '<html lang="en"><meta charset="utf-8"><meta name="referrer" content="no-referrer">',
    `<meta http-equiv="refresh" content="0;url=${address}">`,
    `<title>Talking Stick</title><p><a href="${address}">Talking Stick</a></p></html>`,
    "",
  ].join("\n");
}
