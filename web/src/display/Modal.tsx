import { lazyComponent } from './lazy';

/** The component library's dialog. It loads when a dialog first opens: no page begins with one. */
export const Modal = lazyComponent(() => import('./library-modal'), 'Modal');
