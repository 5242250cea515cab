import type { NotificationData } from '@mantine/notifications';

let mount: (() => void) | undefined;

/** Takes what puts the notices on the page; they are loaded when the first is shown. */
export function onFirstNotice(show: () => void) {
  mount = show;
}

/** Shows a notice at the edge of the page. */
export function notify(notice: NotificationData) {
  mount?.();
  void import('@mantine/notifications').then(({ notifications }) => notifications.show(notice));
}

/** Says briefly that something went well. Problems are shown where they happened instead. */
export function announce(message: string) {
  notify({ message, color: 'green', autoClose: 4000 });
}
