import { notifications } from '@mantine/notifications';

/** Says briefly that something went well. Problems are shown where they happened instead. */
export function announce(message: string) {
  notifications.show({ message, color: 'green', autoClose: 4000 });
}
