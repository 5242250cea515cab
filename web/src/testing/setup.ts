import '@testing-library/jest-dom/vitest';
import { cleanup } from '@testing-library/react';
import { afterEach } from 'vitest';
import { showMetrics } from '../display/metric-names';
import { METRIC_TABLES } from './metrics';

showMetrics(METRIC_TABLES);

// What Mantine asks of a browser and jsdom lacks.
window.matchMedia ??= (query: string) => ({
  matches: false,
  media: query,
  onchange: null,
  addListener: () => undefined,
  removeListener: () => undefined,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
  dispatchEvent: () => false,
});
window.ResizeObserver ??= class {
  observe() {
    /* nothing has a size here */
  }
  unobserve() {
    /* nothing has a size here */
  }
  disconnect() {
    /* nothing has a size here */
  }
};
window.HTMLElement.prototype.scrollIntoView = () => undefined;

// Fields that grow with their text measure it again when a font has loaded.
if (!('fonts' in document)) Object.assign(document, { fonts: new EventTarget() });

afterEach(cleanup);
