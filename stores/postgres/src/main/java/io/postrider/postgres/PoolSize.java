package io.postrider.postgres;

import java.util.List;
import javax.sql.DataSource;

/** How many connections a pool has at most, asked of the pools people use without depending on any. */
final class PoolSize {
    static final int UNKNOWN = -1;

    /** HikariCP, Commons DBCP, Tomcat JDBC, c3p0. */
    private static final List<String> GETTERS =
            List.of("getMaximumPoolSize", "getMaxTotal", "getMaxActive", "getMaxPoolSize");

    private PoolSize() {}

    /** Unknown where there is no pool, or one that does not say. */
    static int of(DataSource dataSource) {
        for (String getter : GETTERS) {
            try {
                Object most = dataSource.getClass().getMethod(getter).invoke(dataSource);
                if (most instanceof Integer number && number > 0) {
                    return number;
                }
            } catch (ReflectiveOperationException | RuntimeException e) {
                continue; // another kind of pool
            }
        }
        return UNKNOWN;
    }
}
