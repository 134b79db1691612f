/** What axe finds on a page. */
import axe from "axe-core";
import type { Page } from "playwright-core";

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/** Each as one line that says what and where. A colour in motion would be judged by luck, so it waits for the end of that. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate("Promise.allSettled(document.getAnimations().map(({ finished }) => finished))");
  // Not as an element, which the policy of the page would refuse.
  await page.evaluate(`globalThis.axe ?? (() => {${axe.source}})()`);
  const { violations } = await page.evaluate<AxeResult>("axe.run(document, { resultTypes: ['violations'] })");
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary.replaceAll(/\s+/g, " ")}`),
  );
}
