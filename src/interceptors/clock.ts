/** The clock of what expires. */

// The clock of the system, which can be set, is not read. A test's mock timers replace `Date.now`: then it is the clock.
const systemNow = Date.now;
let dateNow = systemNow;
let offset = 0;
let last = 0;

/** Milliseconds since an arbitrary time. Never decreases. */
export function readClock(): number {
  const reading = Date.now === systemNow ? performance.now() : Date.now();
  // Goes on from where it was when a test exchanges the clock, or sets it back.
  if (Date.now !== dateNow || reading + offset < last) {
    dateNow = Date.now;
    offset = Math.ceil(last - reading);
  }
  last = reading + offset;
  return last;
}
