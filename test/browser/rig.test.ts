/** The tests in a browser can only be believed if a fault of the page fails them. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";
import { inBrowser, openPage, sidewaysScroll, textOf } from "./support/browser.ts";

const POLICY = "default-src 'self'; img-src * data:";

async function served(html: string): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "text/html", "Content-Security-Policy": POLICY });
    response.end(`<link rel="icon" href="data:,">${html}`);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

inBrowser("a page without faults passes", async () => {
  const page = await openPage(await served("<body>plain</body>"));
  expect([await textOf(page), await sidewaysScroll(page)]).toEqual(["plain", 0]);
});

inBrowser.each([
  ["a breach of the policy", "<body><script>1</script>plain</body>", /^console: .*Content Security Policy/],
  ["a request to another origin", "<body><img alt='' src='http://127.0.0.1:9/x.png'>plain</body>", /^request: .*:9\/x/],
])("%s is a fault", async (_, html, fault) => {
  const faults: string[] = [];
  const page = await openPage(await served(html), { faults });
  expect(await textOf(page)).toBe("plain");
  await expect.poll(() => faults).toContainEqual(expect.stringMatching(fault));
  faults.length = 0;
});

inBrowser("a page that is too wide is found out", async () => {
  const page = await openPage(await served("<body><pre>" + "w".repeat(1000) + "</pre></body>"), { width: 360 });
  expect(await sidewaysScroll(page)).toBeGreaterThan(0);
});
