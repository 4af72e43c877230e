/**
 * A `<video>` that seeks. Its file is a sound (a video would need an encoder), which the element loads in the same way: within ten minutes,
 * the samples of each second have another level, so that the page can see which second is played.
 */
import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { ranges } from '../../dist/formats/index.js';
import { ApiServer, reply } from '../../dist/index.js';
import { HTML, withTab } from './browser-chromium.js';
import { waitUntil } from './until.js';

// So long that the buffers of the browser and the system are a small part of it.
const SECONDS = 6000;
const RATE = 44_100;
const BYTES_A_SAMPLE = 2;
const BYTES_A_SECOND = RATE * BYTES_A_SAMPLE;
const HEADER = waveHeader(SECONDS * BYTES_A_SECOND);
const SIZE = HEADER.length + SECONDS * BYTES_A_SECOND;
// Of a sample, whose largest value is 32,767.
const LEVEL = 50;
const LEVELS = 600;
const PAGE = '<!doctype html><title>a film</title><video src="/v1/film" preload="auto" controls></video>';

/** The header of a WAVE file: one channel, 16 bits a sample. */
function waveHeader(length) {
  const header = Buffer.alloc(44);
  header.write('RIFF    WAVEfmt ', 0, 'latin1');
  header.writeUInt32LE(length + 36, 4);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(RATE, 24);
  header.writeUInt32LE(BYTES_A_SECOND, 28);
  header.writeUInt16LE(BYTES_A_SAMPLE, 32);
  header.writeUInt16LE(8 * BYTES_A_SAMPLE, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(length, 40);
  return header;
}

/** The bytes from one place to another, or to the end of the second or the header there. */
function bytesAt(at, end) {
  if (at < HEADER.length) return HEADER.subarray(at, end);
  const second = Math.floor((at - HEADER.length) / BYTES_A_SECOND);
  const length = Math.min(end, HEADER.length + (second + 1) * BYTES_A_SECOND) - at;
  const samples = new Int16Array(length / BYTES_A_SAMPLE + 1).fill(LEVEL * (second % LEVELS));
  return new Uint8Array(samples.buffer, (at - HEADER.length) % BYTES_A_SAMPLE, length);
}

/** Serves the film, and counts what is read of it. */
class FilmApi {
  /** The reads: where each starts, how many bytes it has given, and whether it is over. */
  reads = [];
  errors = [];
  #server = new ApiServer('/v1', { logger: { info() {}, error: (error) => this.errors.push(error) } });

  constructor(bodyOf) {
    const film = { size: SIZE, read: (from, to) => this.#read(from, to) };
    this.#server.registerEndpoint('/film', { get: () => reply(200, bodyOf(film), { ETag: '"1"', 'Content-Type': 'audio/wav' }) });
    this.#server.mount('/page', (_request, response) => response.writeHead(200, HTML).end(PAGE));
  }

  async start() {
    const started = await this.#server.start('127.0.0.1:0');
    if (!started.ok) throw new Error(started.error);
    return started.url;
  }

  stop() {
    return this.#server.stop();
  }

  async *#read(start, last) {
    const read = { start, bytes: 0, isOver: false };
    this.reads.push(read);
    try {
      while (start + read.bytes <= last) {
        const bytes = bytesAt(start + read.bytes, last + 1);
        read.bytes += bytes.length;
        yield bytes;
        await setImmediate();
      }
    } finally {
      read.isOver = true;
    }
  }
}

// These run in the page.
async function metadata() {
  const video = document.querySelector('video');
  if (video.readyState < 1) await new Promise((resolve) => video.addEventListener('loadedmetadata', resolve, { once: true }));
  // Puppeteer has no word for infinity.
  return { duration: String(video.duration), seekable: String(video.seekable.end(0)) };
}

/** Seeks, plays until time has passed, and resolves to the level of what is played. */
async function levelAt(second) {
  const video = document.querySelector('video');
  const nextTime = () => new Promise((resolve) => video.addEventListener('timeupdate', resolve, { once: true }));
  if (globalThis.analyser === undefined) {
    const context = new AudioContext();
    globalThis.analyser = context.createAnalyser();
    context.createMediaElementSource(video).connect(globalThis.analyser).connect(context.destination);
    await context.resume();
  }
  video.pause();
  const seeked = new Promise((resolve) => video.addEventListener('seeked', resolve, { once: true }));
  video.currentTime = second;
  await seeked;
  await video.play();
  while (video.currentTime < second + 0.5) await nextTime();
  const samples = new Float32Array(32);
  globalThis.analyser.getFloatTimeDomainData(samples);
  video.pause();
  return { time: video.currentTime, level: samples[0] * 32_768 };
}

/** Opens the page of a film. `bodyOf` makes the body from its size and a function that reads it. */
async function withFilm(browser, bodyOf, use) {
  const api = new FilmApi(bodyOf);
  try {
    await withTab(browser, `${await api.start()}/page`, (page) => use(api, page));
    assert.deepEqual(api.errors, []);
  } finally {
    await api.stop();
  }
}

/** Makes all checks. */
export async function checkMedia(check, browser) {
  await withFilm(browser, ranges, async (api, page) => {
    await check('a <video> of ranges can seek in all of it', async () => {
      assert.deepEqual(await page.evaluate(metadata), { duration: String(SECONDS), seekable: String(SECONDS) });
    });
    // A page can play a sound when the user has touched it.
    await page.mouse.click(1, 1);
    for (const second of [5000, 1000, 3100, SECONDS - 2]) {
      await check(`it seeks to ${second} s: it asks for the bytes from there, and plays them`, async () => {
        const before = api.reads.length;
        const { time, level } = await page.evaluate(levelAt, second);
        // The clock can be ahead of the sound.
        const played = second - (second % LEVELS) + Math.round(level / LEVEL);
        assert.ok(played >= second && played <= time, `second ${played} is played at ${time} s`);
        const { start } = api.reads[before];
        assert.ok(start > (second - 1) * BYTES_A_SECOND && start < (second + 1) * BYTES_A_SECOND, `it asked for the bytes from ${start}`);
      });
    }
    await check('it has not loaded the whole, and none of its ranges', () => {
      const bytes = api.reads.reduce((sum, read) => sum + read.bytes, 0);
      assert.ok(bytes < SIZE / 2, `${bytes} of ${SIZE} bytes`);
      // At the end of the film, the rest is short.
      for (const read of api.reads.filter(({ start }) => start < SIZE - 10 * BYTES_A_SECOND)) {
        assert.ok(read.bytes < (SIZE - read.start) / 2, `${read.bytes} bytes from ${read.start}, of ${SIZE}`);
      }
    });
    await check('of the ranges that it has asked for, only the latest can still be read', () => {
      return waitUntil(() => api.reads.slice(0, -1).every(({ isOver }) => isOver), () => `the end of the reads: ${JSON.stringify(api.reads)}`);
    });
  });
  await check('of a stream that is no ranges, it does not know the end', () => {
    return withFilm(browser, ({ size, read }) => read(0, size - 1), async (_api, page) => {
      assert.deepEqual(await page.evaluate(metadata), { duration: 'Infinity', seekable: 'Infinity' });
    });
  });
}
