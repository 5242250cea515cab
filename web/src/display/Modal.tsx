import { late } from './late';

/** The component library's dialog. It loads when a dialog first opens: no page begins with one. */
export const Modal = late(() => import('./library-modal'), 'Modal');
