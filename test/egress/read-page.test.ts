import { describe, expect, it } from "vitest";
import { readPage } from "../../src/egress/reading/read-page.ts";

const never = new AbortController().signal;

function read(body: string | Uint8Array, type = "text/html", base = "https://ex.test/d/"): Promise<string> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return readPage(bytes, type, base, never).then(({ text }) => text);
}

describe("a page", () => {
  it("becomes Markdown as a person would read it", async () => {
    const text = await read(`<!doctype html><html><head><title>Hi  there</title><style>x{}</style></head><body>
      <p>Hello <b>bold</b> &amp; <a href="/a?b=1">link</a> <a href="javascript:alert(1)">bad</a></p>
      <table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
      <pre><code class="language-js">let a = 1;\n</code></pre><ul><li>x<li>y</ul>
      <img src="data:image/png;base64,xx"><img alt="pic" src="p.png"><script>alert(1)</script></body></html>`);
    expect(text).toContain("# Hi there\n");
    expect(text).toContain("Hello **bold** & [link](https://ex.test/a?b=1) bad");
    expect(text).toMatch(/\| a +\| b +\|\n\| -+ \| -+ \|\n\| 1 +\| 2 +\|/);
    expect(text).toContain("```js\nlet a = 1;\n```");
    expect(text).toMatch(/- +x\n- +y/);
    expect(text).toContain("![pic](https://ex.test/d/p.png)");
    expect(text).not.toMatch(/alert|data:|x\{\}/);
  });

  it.each([
    "<p hidden>SECRET</p>",
    '<div style="color:red;display:none">SECRET</div>',
    '<div style="DISPLAY : none">SECRET</div>',
    '<span aria-hidden="true">SECRET</span>',
    "<template>SECRET</template>",
    "<noscript>SECRET</noscript>",
    "<!-- SECRET -->",
    '<p style="visibility:hidden">SECRET</p>',
    '<p style="font-size:0">SECRET</p>',
    '<p style="opacity:0.0">SECRET</p>',
  ])("says nothing that nobody sees: %s", async (html) => {
    expect(await read(`<p>shown</p>${html}<p>too</p>`)).toBe("shown\n\ntoo\n");
  });

  it("keeps its own first heading", async () => {
    expect(await read("<title>t</title><h1>Own</h1>x")).toBe("# Own\n\nx\n");
  });

  it("of nothing is empty", async () => {
    expect((await read("")).trim()).toBe("");
  });

  it("that is nested without end is refused, and nothing else waits for it", async () => {
    const page = readPage(Buffer.from("<div>".repeat(200_000)), "text/html", "https://ex.test/", never, {
      timeoutMs: 200,
      heapMegabytes: 64,
    });
    await expect(page).rejects.toMatchObject({ code: "resource_exhausted" });
  });

  it("ends with its caller", async () => {
    const leave = new AbortController();
    const page = readPage(Buffer.from("<b>".repeat(100_000)), "text/html", "https://ex.test/", leave.signal);
    leave.abort(new Error("left"));
    await expect(page).rejects.toThrow("left");
  });
});

describe("text", () => {
  it.each([
    ["text/plain; charset=iso-8859-1", [0xe9], "é"],
    ['text/plain;charset="UTF-8"', [0xc3, 0xa9], "é"],
    ["text/plain", [0xc3, 0xa9], "é"],
    ["text/plain", [0xe9, 0x21], "é!"],
    ["text/plain; charset=nonsense", [0xc3, 0xa9], "é"],
    ["text/plain; charset=utf-8", [0xe9], "\ufffd"],
    ["text/plain; charset=shift_jis", [0x82, 0xa0], "あ"],
    ["text/plain", [0xff, 0xfe, 0x41, 0], "A"],
    ["text/plain; charset=iso-8859-1", [0xef, 0xbb, 0xbf, 0x41], "A"],
    ["application/json", [0x7b, 0x7d], "{}"],
    ["application/ld+json", [0x7b, 0x7d], "{}"],
    ["", [0x68, 0x69], "hi"],
  ])("%s is decoded", async (type, bytes, text) => {
    expect(await read(Uint8Array.from(bytes), type)).toBe(text);
  });

  it("of HTML is decoded as it declares", async () => {
    const html = Buffer.from('<meta charset="windows-1251"><p>\xcf</p>', "latin1");
    expect(await read(html)).toBe("П\n");
  });

  it.each([
    ["image/png", [1]],
    ["application/octet-stream", [1]],
    ["application/pdf", [1]],
    ["", [0x68, 0]],
  ])("is not made of %s", async (type, bytes) => {
    await expect(read(Uint8Array.from(bytes), type)).rejects.toMatchObject({ code: "failed_precondition" });
  });
});
