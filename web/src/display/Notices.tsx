import '@mantine/notifications/styles.css';
import { Notifications } from '@mantine/notifications';

/** The place where notices are shown. */
export function Notices() {
  return <Notifications position="bottom-right" />;
}
