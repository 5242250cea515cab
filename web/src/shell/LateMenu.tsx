import { lateOpened } from '../display/late';

/** A menu of the page's head. */
export const LateMenu = lateOpened(() => import('./Menus'), 'OpenMenu', 'menu');
