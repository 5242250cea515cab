import { lazyOpened } from '../display/lazy';

/** A menu of the page's head. */
export const LateMenu = lazyOpened(() => import('./Menus'), 'OpenMenu', 'menu');
