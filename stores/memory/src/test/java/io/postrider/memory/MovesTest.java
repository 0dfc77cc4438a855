package io.postrider.memory;

import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.pool.TypePool;
import net.bytebuddy.utility.OpenedClassReader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The way of one event, from its append to its settlement, as a reader has to follow it: each move is a call from one
 * class of {@code core} into another, or back by a callback. Records, enums and methods that only answer with a field
 * have no moves.
 */
class MovesTest {
    /** To be lowered with each change that makes the way shorter; the aim is 50. */
    private static final int MOVES_MAX = 155;

    @Test
    void one_handled_event_makes_few_moves_between_classes() throws Exception {
        Class<?> delivery = new Counting().loadClass(OneDelivery.class.getName());
        ((Runnable) delivery.getDeclaredConstructor().newInstance()).run();
        List<String> moves = Moves.made();
        System.out.printf(
                "One handled event: %d moves between %d classes%n%s%n",
                moves.size(),
                new TreeSet<>(moves.stream().map(Moves::target).toList()).size(),
                String.join("\n", moves));
        assertThat(moves).hasSizeBetween(1, MOVES_MAX);
    }

    /** Loads Postrider anew, its methods telling of themselves. */
    private static final class Counting extends ClassLoader {
        private final ClassFileLocator files = ClassFileLocator.ForClassLoader.of(MovesTest.class.getClassLoader());
        private final TypePool types = TypePool.Default.of(files);

        Counting() {
            super(MovesTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("io.postrider.") || name.equals(Moves.class.getName())) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : define(name);
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try {
                TypeDescription type = types.describe(name).resolve();
                byte[] code = files.locate(name).resolve();
                if (isCounted(type)) {
                    Set<String> working = Working.methodsOf(code);
                    code = new ByteBuddy()
                            .redefine(type, files)
                            .visit(Advice.to(Telling.class)
                                    .on(isMethod()
                                            .and(each -> working.contains(each.getName() + each.getDescriptor()))))
                            .make()
                            .getBytes();
                }
                return defineClass(name, code, 0, code.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        /** Not of this store, and no value. */
        private static boolean isCounted(TypeDescription type) {
            return !type.getName().startsWith("io.postrider.memory.")
                    && !type.isInterface()
                    && !type.isRecord()
                    && !type.isEnum();
        }
    }

    /** The methods that do something: those that call nobody and decide nothing are fields by another name. */
    private static final class Working extends ClassVisitor {
        private final Set<String> methods = new HashSet<>();

        Working() {
            super(OpenedClassReader.ASM_API);
        }

        static Set<String> methodsOf(byte[] code) {
            Working working = new Working();
            OpenedClassReader.of(code).accept(working, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            return working.methods;
        }

        @Override
        public MethodVisitor visitMethod(
                int access,
                String name,
                String descriptor,
                @Nullable String signature,
                String @Nullable [] exceptions) {
            return new MethodVisitor(OpenedClassReader.ASM_API) {
                @Override
                public void visitMethodInsn(int opcode, String owner, String called, String type, boolean face) {
                    methods.add(name + descriptor);
                }

                @Override
                public void visitInvokeDynamicInsn(String called, String type, Handle handle, Object... arguments) {
                    methods.add(name + descriptor);
                }

                @Override
                public void visitJumpInsn(int opcode, Label label) {
                    methods.add(name + descriptor);
                }

                @Override
                public void visitFieldInsn(int opcode, String owner, String field, String type) {
                    if (opcode == Opcodes.PUTFIELD || opcode == Opcodes.PUTSTATIC) {
                        methods.add(name + descriptor);
                    }
                }
            };
        }
    }

    /** Is woven into each of those. */
    static final class Telling {
        private Telling() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Origin("#t.#m") String method) {
            Moves.enter(method);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class)
        static void leave() {
            Moves.leave();
        }
    }
}
