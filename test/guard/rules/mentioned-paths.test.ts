/** Which paths a line names, where its parser could not tell what is written. */
import { expect, test } from "vitest";
import { mentionedPaths } from "../../../src/guard/rules/mentioned-paths.ts";

const paths = (command: string) => mentionedPaths(command, "/home/me").map(({ path }) => path);

test.each<[line: string, path: string]>([
  ["rm /room/*.txt", "/room"],
  ["cd ~/room && make", "/home/me/room"],
  ["cd '/my room' && make", "/my room"],
  ['cd "/my room" && make', "/my room"],
  ["cd /my\\ room && make", "/my room"],
  ["cd /'my room'/src && make", "/my room/src"],
  ['cd "$HOME/my room" && make', "/home/me/my room"],
  ["rm '/my room/'*.txt", "/my room"],
  ["make --directory='/my room'", "/my room"],
  ["make --directory=/my\\ room", "/my room"],
  ["docker run -v '/my room:/mnt' x", "/my room"],
  [`sh -c "cd '/my room' && make"`, "/my room"],
  ["sh -c 'cd /my\\ room && make'", "/my room"],
  [`python -c "open('/my room/x', 'w')"`, "/my room/x"],
  ["sh -c 'rm /room/x'", "/room/x"],
  ["make -C '/it is \"odd\"'", '/it is "odd"'],
])("%s names %s", (line, path) => {
  expect(paths(line)).toContain(path);
});

test("what follows a pattern or a variable is not known, so everything below may be meant", () => {
  expect(mentionedPaths("rm '/my room/'*", null)).toContainEqual({ path: "/my room", isCut: true });
  expect(mentionedPaths('rm "/my room/$X"', null)).toContainEqual({ path: "/my room", isCut: true });
  expect(mentionedPaths("rm '/my room/x'", null)).toContainEqual({ path: "/my room/x", isCut: false });
});

test("a long line of quotes is looked at in a moment, and only in part", () => {
  for (const text of ["'", '"', "\\", "'\"", "\\'", "a 'b c' ", `"'`]) {
    expect(mentionedPaths(text.repeat(200_000), null).length).toBeLessThanOrEqual(100);
  }
});
