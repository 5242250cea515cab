import { RoomFrame } from '../../shell/RoomFrame';

/** Access & Security > Audit Logging. */
export function Room() {
  return <RoomFrame room="/audit" />;
}
