// How the page looks, held to what was looked at: pictures.json beside this file. Letters are not drawn, since another machine has
// other fonts; what is compared is what does not depend on them: the pixels of each chart, where each part stands and how wide it
// is, and the colours. UPDATE=1 writes the file anew: look at the pictures of it.
import { equal, ok } from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { pictures } from '../pictures.mjs';

const file = new URL('pictures.json', import.meta.url), update = process.env.UPDATE === '1';
const held = update ? { charts: {}, boxes: {}, colours: {} } : JSON.parse(readFileSync(file, 'utf8'));
const style = readFileSync(new URL('../../../web/style.css', import.meta.url), 'utf8');
const PIXEL_OFF = 48, SHARE_OFF = 0.004, BOX_OFF_PX = 2; // of 255; of all pixels; edges are smoothed by each version in its way

// In the page: the share of pixels that differ, 1 where the sizes do.
const differing = async ([a, b, off]) => {
  const pixels = async base64 => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
    canvas.getContext('2d').drawImage(image, 0, 0);
    return { size: `${image.width} x ${image.height}`, data: canvas.getContext('2d').getImageData(0, 0, image.width, image.height).data };
  };
  const one = await pixels(a), two = await pixels(b);
  if (one.size !== two.size) return 1;
  let n = 0;
  for (let i = 0; i < one.data.length; i += 4)
    n += [0, 1, 2].some(k => Math.abs(one.data[i + k] - two.data[i + k]) > off);
  return n * 4 / one.data.length;
};

async function charts(browser) {
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({ viewport: { width: 640, height: 400 }, colorScheme }), page = await context.newPage();
    for (const [name, svg] of Object.entries(pictures())) {
      await page.setContent(`<!doctype html><style>${style} text { display: none } body { padding: 10px; width: 600px }</style>${svg}`);
      const seen = (await page.locator('svg').screenshot()).toString('base64'), key = `${name} ${colorScheme}`;
      if (update) held.charts[key] = seen;
      const share = await page.evaluate(differing, [held.charts[key], seen, PIXEL_OFF]);
      ok(share <= SHARE_OFF, `${key}: ${(100 * share).toFixed(2)} % of the pixels differ`);
    }
    await context.close();
  }
}

// Sections of the page: the left edge and the width, and whether it stands beside the one before.
const boxesOf = () => [...document.querySelectorAll('header, #ask, section')].map((e, i, all) => {
  const at = e.getBoundingClientRect(), before = all[i - 1]?.getBoundingClientRect();
  return [e.id || e.getAttribute('aria-labelledby') || e.tagName.toLowerCase(), Math.round(at.left), Math.round(at.width), before !== undefined && Math.abs(at.top - before.top) < 2];
});
const coloursOf = () => Object.fromEntries([['body', 'backgroundColor'], ['body', 'color'], ['h1', 'color'], ['#ask', 'backgroundColor'], ['.quiet', 'color'], ['button', 'color']]
  .map(([selector, key]) => [`${selector} ${key}`, getComputedStyle(document.querySelector(selector))[key]]));

async function layout(open, address, close) {
  for (const width of [320, 900, 1400, 1900]) {
    const page = await open(address, { width });
    for (const scheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme: scheme });
      const boxes = await page.evaluate(boxesOf), colours = await page.evaluate(coloursOf);
      if (update) Object.assign(held.boxes, { [width]: boxes }), held.colours[scheme] = colours;
      const want = held.boxes[width];
      equal(boxes.map(b => b[0]).join(' '), want.map(b => b[0]).join(' '));
      boxes.forEach(([name, left, wide, beside], i) => ok(Math.abs(left - want[i][1]) <= BOX_OFF_PX && Math.abs(wide - want[i][2]) <= BOX_OFF_PX && beside === want[i][3],
        `${name} at ${width} px: from ${left}, ${wide} wide, beside the last: ${beside}; expected ${want[i].slice(1)}`));
      equal(JSON.stringify(colours), JSON.stringify(held.colours[scheme]), scheme);
    }
    await close(page);
  }
}

export async function looks(browser, open, address, close) {
  await charts(browser);
  await layout(open, address, close);
  if (update) writeFileSync(file, `${JSON.stringify(held, null, 1).replace(/\[\n\s+("[^[\]]*)\n\s+\]/g, (_, list) => `[${list.replace(/\n\s+/g, ' ')}]`)}\n`);
}
