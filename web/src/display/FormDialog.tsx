import { Button, Group, Stack, Text, type ModalProps } from '@mantine/core';
import {
  createContext,
  useContext,
  useEffect,
  useState,
  type FormEvent,
  type MouseEvent,
  type ReactNode,
} from 'react';
import { Modal } from './Modal';
import { ProblemAlert } from './ProblemAlert';
import { DISCARD, useUnsavedWarning } from './unsaved';
import { useReturnFocus } from './useReturnFocus';

interface FormProps {
  /** What it does, in a sentence before the fields. */
  explain?: ReactNode;
  /** The words of the button that sends, and its colour where it is no ordinary one. Without them there is nothing to send. */
  submit?: string;
  colour?: string;
  error?: unknown;
  /** Fields that mark their own problems. */
  marked?: string[];
  pending: boolean;
  disabled?: boolean;
  /** What stands across from the buttons: to remove, to try. */
  aside?: ReactNode;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  onClose: () => void;
  children?: ReactNode;
}

/** Tells the dialog around a form whether it is sent: on its way or saved, and not refused. */
const Sent = createContext<(sent: boolean) => void>(() => undefined);

/** The fields of a dialog and its buttons; Enter sends. */
export function DialogForm({
  explain,
  submit,
  colour,
  error,
  marked,
  pending,
  disabled,
  aside,
  onSubmit,
  onClose,
  children,
}: FormProps) {
  const sent = useContext(Sent);
  useEffect(() => {
    if (pending) sent(true);
  }, [pending, sent]);
  useEffect(() => {
    if (error) sent(false);
  }, [error, sent]);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(event);
      }}
    >
      <Stack gap="md">
        {explain && (
          <Text size="sm" className="muted">
            {explain}
          </Text>
        )}
        {children}
        <ProblemAlert error={error} marked={marked} />
        <Group gap="sm">
          {aside}
          <Group gap="sm" ml="auto">
            <Button variant="default" onClick={onClose}>
              {submit ? 'Cancel' : 'Close'}
            </Button>
            {submit && (
              <Button type="submit" color={colour} loading={pending} disabled={disabled}>
                {submit}
              </Button>
            )}
          </Group>
        </Group>
      </Stack>
    </form>
  );
}

interface ModalFormProps {
  title: string;
  size?: ModalProps['size'];
  onClose: () => void;
  children: ReactNode;
}

/**
 * A dialog around a form. Once something was typed or chosen, Escape and a click beside it do nothing, and its close button, a link
 * of the page and the closing of the tab ask before it is lost.
 */
export function FormModal({ title, size, onClose, children }: ModalFormProps) {
  const [typed, setTyped] = useState(false);
  const [sent, setSent] = useState(false);
  const unsaved = typed && !sent;
  useUnsavedWarning(unsaved);
  useReturnFocus();
  const edited = () => {
    setTyped(true);
    setSent(false);
  };
  const chosen = (event: MouseEvent) => {
    if (event.target instanceof Element && event.target.closest('[role=option]')) edited();
  };
  return (
    <Modal
      opened
      onClose={() => {
        if (!unsaved || window.confirm(DISCARD)) onClose();
      }}
      size={size}
      title={title}
      closeOnClickOutside={!unsaved}
      closeOnEscape={!unsaved}
      onInput={edited}
      onClick={chosen}
    >
      <Sent value={setSent}>{children}</Sent>
    </Modal>
  );
}

interface Props extends FormProps {
  title: string;
  size?: ModalProps['size'];
}

/** A dialog that asks and sends. */
export function FormDialog({ title, size, ...form }: Props) {
  return (
    <FormModal title={title} size={size} onClose={form.onClose}>
      <DialogForm {...form} />
    </FormModal>
  );
}
